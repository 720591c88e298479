using System.Diagnostics;
using System.Net;
using System.Net.Sockets;

namespace Holdfast.Bench;

/// <summary>Answers renewals over a loopback socket, in a process of its own, so that its CPU is not the worker's.</summary>
internal sealed class RenewalServer : IDisposable
{
    public const string Argument = "--renewal-server";

    private readonly Process _process = Child.StartOutside([Argument]);

    public RenewalServer() => Port = int.Parse(_process.StandardOutput.ReadLine()!);

    public int Port { get; }

    /// <summary>What the process does: sends back all that comes, until its parent is gone.</summary>
    public static int Run()
    {
        OwnProcess.EndWithParent();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        Console.Out.WriteLine(((IPEndPoint)listener.LocalEndpoint).Port);

        using var client = listener.AcceptSocket();
        client.NoDelay = true;
        try
        {
            var buffer = new byte[16 * 1024];
            while (client.Receive(buffer) is > 0 and var count)
                client.Send(buffer.AsSpan(0, count));
        }
        catch (SocketException)
        {
            // The client ended with answers still on the way to it.
        }

        return 0;
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }
}
