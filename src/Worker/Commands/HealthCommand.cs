using System.CommandLine;
using System.Net.Sockets;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Commands;

/// <summary>Asks the worker that runs beside it whether it is ready: what a container without a shell has for a health check.</summary>
internal static class HealthCommand
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    public static Command Create(Workbench bench)
    {
        var command = new Command("health", "Ask the worker that runs on this machine, or in this container, whether it is ready.");
        var json = CommonOptions.Json();
        command.Add(json);
        command.SetAction((parsed, cancel) => RunAsync(bench, new Screen(bench, parsed.GetValue(json)), cancel));
        return command;
    }

    private static async Task<int> RunAsync(Workbench bench, Screen screen, CancellationToken cancel)
    {
        ManagementPortAddress address;
        try
        {
            address = Address(bench.Configuration());
        }
        catch (InvalidOptionsException wrong)
        {
            return screen.Refuse(wrong);
        }

        // What is on this machine is no proxy's to reach.
        var connections = new SocketsHttpHandler { UseProxy = false };
        if (address.Socket is { } socket)
            connections.ConnectCallback = (_, cancel) => DialAsync(socket, cancel);
        using var client = new HttpClient(connections) { Timeout = Timeout.InfiniteTimeSpan };
        using var limit = new AttemptLimit(s_patience, bench.Time, cancel);
        try
        {
            using var answer = await client.GetAsync(address.Url, limit.Token);
            var verdict = await answer.Content.ReadFromJsonAsync<HealthVerdict>(limit.Token);
            screen.Outcome(verdict!, Printable.OneLine(verdict!.Reason));
            return verdict.Healthy ? ExitCode.Stopped : ExitCode.Failed;
        }
        catch (Exception problem)
        {
            screen.Fail($"No worker answers at {address}: {(limit.IsOver ? $"It took longer than {s_patience.TotalSeconds} s." : Cause(problem).Message)}");
            return ExitCode.Failed;
        }
    }

    // .NET names the port that it would have asked, and behind a socket there is none.
    private static Exception Cause(Exception problem) => problem is HttpRequestException { InnerException: SocketException refused } ? refused : problem;

    // The other settings are the worker's to judge.
    private static ManagementPortAddress Address(IConfiguration configuration)
    {
        OptionError[] wrong = [.. ManagementPort.Broken(configuration)];
        return wrong is [] ? ManagementPort.Address(configuration).At("/health/ready") : throw new InvalidOptionsException(wrong);
    }

    private static async ValueTask<Stream> DialAsync(string path, CancellationToken cancel)
    {
        var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
        try
        {
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
            return new NetworkStream(socket, ownsSocket: true);
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }
}
