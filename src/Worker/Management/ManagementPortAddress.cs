namespace Holdfast.Worker.Management;

/// <summary>Where a worker's management port answers on its own machine. It may be a socket in the file system that leads there.</summary>
internal sealed record ManagementPortAddress(string Url, string? Socket = null)
{
    /// <summary>Behind a socket there is one host, whatever it is called.</summary>
    public static ManagementPortAddress Through(string socket) => new("http://localhost", socket);

    /// <summary>Something that is answered there.</summary>
    public ManagementPortAddress At(string path) => this with { Url = Url + path };

    /// <summary>As a person reads it.</summary>
    public override string ToString() => Socket is null ? Url : $"{Url} through the socket {Socket}";
}
