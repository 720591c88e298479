using System.Diagnostics;
using System.Text.Json;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Bench;

/// <summary>A contender's own process, from both its ends. It says when it consumes, then what it found, and goes on until it is ended.</summary>
internal sealed class ClientProcess : IDisposable
{
    public const string Argument = "--client";
    private const string Ready = "ready";
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly Assignment _assignment;
    private readonly Process _process;

    private ClientProcess(Assignment assignment)
    {
        _assignment = assignment;
        string[] arguments = [Argument, $"{assignment}"];
        _process = assignment.Contender switch
        {
            Contender.ServiceBusSdk => ServiceBusServer.StartSdk("drain.mjs", $"{assignment}"),
            _ when assignment.GivesWay => Child.StartAsNiceWorker(arguments),
            _ => Child.StartAsWorker(arguments),
        };
    }

    /// <summary>Starts a process that is in the same cgroup as this one, and returns once it consumes.</summary>
    public static ClientProcess Start(Assignment assignment)
    {
        var client = new ClientProcess(assignment);
        client.Read(s_patience, line => line == Ready);
        return client;
    }

    /// <summary>Waits for what it finds.</summary>
    public Finding Find()
    {
        Finding? found = null;
        Read(_assignment.Limit + s_patience, line => (found = JsonSerializer.Deserialize<Finding>(line)) is not null);
        return found!;
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        if (!_process.WaitForExit(s_patience))
            _process.Kill();
        _process.WaitForExit();
        _process.Dispose();
    }

    /// <summary>What the process does.</summary>
    public static async Task<int> RunAsync(Assignment assignment)
    {
        OwnProcess.EndWithParent();
        IWork work = assignment.Chore switch
        {
            Chore.Drain => new DrainWork(assignment.WarmUp, assignment.Messages),
            Chore.Time => new TimingWork(assignment.WarmUp, assignment.Messages),
            Chore.Hold => new HoldWork(),
            _ => new HardWork(assignment.Chore, assignment.Messages),
        };
        var complete = await StartAsync(assignment, work);
        var beat = new PoolBeat();
        Console.Out.WriteLine(Ready);

        // On a thread of its own: the pool may have none to spare.
        new Thread(() => Console.Out.WriteLine(JsonSerializer.Serialize(complete(work.Wait(assignment.Limit) with { PoolLateness = beat.Lateness() })))) { Name = "watch" }.Start();
        await Task.Delay(Timeout.Infinite);
        return 0;
    }

    // Returns what adds to the finding what only the contender knows.
    private static async Task<Func<Finding, Finding>> StartAsync(Assignment assignment, IWork work)
    {
        switch (assignment.Contender)
        {
            case Contender.Holdfast:
                return (await HoldfastClient.StartAsync(assignment, work)).Complete;
            case Contender.RawClient:
                await RawClient.StartAsync(assignment, work);
                break;
            default:
                await MassTransitClient.StartAsync(assignment, work);
                break;
        }

        return static found => found;
    }

    private void Read(TimeSpan patience, Func<string, bool> isIt)
    {
        var line = _process.StandardOutput.ReadLineAsync();
        if (!line.Wait(patience) || line.Result is not { } text || !isIt(text))
            throw new InvalidOperationException($"{_assignment.Contender.Title()} broke: {_assignment}");
    }
}
