namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>What a cut ends: a socket without a word; a connection, a session or a link with an error.</summary>
public enum CutLevel
{
    Socket,
    Connection,
    Session,
    Link,
}
