namespace Holdfast.Tests.Servers.Docker;

/// <summary>There is no Docker engine here, and why.</summary>
public sealed class DockerMissingException(string message, bool isRefused = false) : Exception(message)
{
    /// <summary>Whether the kernel is to blame, or whoever runs this in a box: no installation helps.</summary>
    public bool IsRefused { get; } = isRefused;
}
