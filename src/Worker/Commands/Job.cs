using System.CommandLine;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Commands;

/// <summary>One command under way: its settings, which it reads when it needs them, and its broker.</summary>
internal sealed class Job(Workbench bench, Screen screen, string? queue)
{
    private WorkerSettings? _settings;

    public Screen Screen => screen;

    public TimeProvider Time => bench.Time;

    public WorkerSettings Settings => _settings ??= WorkerSettings.ReadToAsk(bench.Configuration());

    /// <summary>The queue that is meant.</summary>
    public string Queue => Queues is [var only] ? only.Name : throw new Failure($"This worker has several queues; give --queue, such as --queue {Queues[0].Name}.", ExitCode.Misused);

    /// <summary>The queues that are meant, each with what is set for it: the one that was named, or all that a worker consumes.</summary>
    public IReadOnlyList<(string Name, QueueOptions Options)> Queues => queue is null
        ? [.. Settings.Queues.Select(one => (one.Handling.Queue, one.Options))]
        : [(queue, (Settings.Queues.FirstOrDefault(one => one.Handling.Queue == queue) ?? Settings.Queues[0]).Options)];

    /// <summary>Gives a command its common options, and has every failure of its told in a line.</summary>
    public static Command Define(Workbench bench, Command command, Func<Job, ParseResult, CancellationToken, Task<int>> run)
    {
        var (name, json) = (CommonOptions.Queue(), CommonOptions.Json());
        command.Add(name);
        command.Add(json);
        command.SetAction((parsed, cancel) => RunAsync(new Job(bench, new Screen(bench, parsed.GetValue(json)), parsed.GetValue(name)), parsed, run, cancel));
        return command;
    }

    /// <exception cref="InvalidOptionsException">A worker would not start with these settings.</exception>
    public void CheckForWorker() => WorkerSettings.Read(bench.Configuration());

    public IBroker OpenBroker() => Made(bench.Brokers, Settings.Worker.Broker);

    public IBrokerDesk OpenDesk() => Made(bench.Desks, Settings.Worker.Kind);

    private static async Task<int> RunAsync(Job job, ParseResult parsed, Func<Job, ParseResult, CancellationToken, Task<int>> run, CancellationToken cancel)
    {
        // Whoever is told to stop before this has returned has no time to end anything.
        await Task.Yield();
        try
        {
            return await run(job, parsed, cancel);
        }
        catch (Failure failure)
        {
            job.Screen.Fail(failure.Message);
            return failure.ExitCode;
        }
        catch (InvalidOptionsException wrong)
        {
            return job.Screen.Refuse(wrong);
        }
        catch (OperationCanceledException) when (cancel.IsCancellationRequested)
        {
            job.Screen.Fail("It was interrupted.");
            return ExitCode.Failed;
        }
        catch (Exception problem)
        {
            job.Screen.Fail(problem.Message);
            return ExitCode.Failed;
        }
    }

    // Messages in a worker's own memory can't be reached from another process.
    private T Made<T>(IReadOnlyDictionary<string, Func<IServiceProvider, T>> all, string name)
    {
        if (Settings.Worker.Uses("InMemory") || !all.TryGetValue(name, out var make))
            throw new Failure("The embedded broker lives and dies with a worker's process, and nobody else can look into it; set Worker__Broker=RabbitMq or ServiceBus.", ExitCode.Misconfigured);
        return make(new ServiceCollection().AddSingleton(Settings).AddSingleton(bench.Time).BuildServiceProvider());
    }
}
