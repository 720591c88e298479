using System.Net.Sockets;

namespace Holdfast.Worker.Management;

/// <summary>A socket in the file system outlives a worker that was killed, and nobody can listen where it lies.</summary>
internal static class LeftSockets
{
    // What Linux says to who opens a socket as a file: to nothing else that has a name.
    private const int NoSuchDevice = 6;

    /// <summary>Takes those away behind which nobody is.</summary>
    public static void Remove(IConfiguration configuration)
    {
        foreach (var path in ManagementPort.Sockets(configuration).Where(path => IsSocket(path) && IsForsaken(path)))
            Remove(path);
    }

    private static void Remove(string path)
    {
        try
        {
            File.Delete(path);
        }
        catch (Exception problem) when (problem is IOException or UnauthorizedAccessException)
        {
            // It is somebody else's: the server finds the place taken, and that is told.
        }
    }

    // A file refuses to be connected to just as a forsaken socket does, and is not ours to delete.
    private static bool IsSocket(string path)
    {
        try
        {
            File.OpenHandle(path).Dispose();
            return false;
        }
        catch (IOException problem)
        {
            return problem.HResult == NoSuchDevice;
        }
        catch (UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static bool IsForsaken(string path)
    {
        using var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            socket.Connect(new UnixDomainSocketEndPoint(path));
            return false;
        }
        catch (SocketException problem)
        {
            return problem.SocketErrorCode == SocketError.ConnectionRefused;
        }
    }
}
