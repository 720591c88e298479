namespace Holdfast.Tests.Servers;

/// <summary>The directions of a connection.</summary>
[Flags]
public enum Traffic
{
    ToServer = 1,
    ToClient = 2,
    BothWays = ToServer | ToClient,
}
