using System.Collections.Concurrent;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class RealThreadTests
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task A_handler_that_burns_its_only_thread_hears_of_its_lost_lease()
    {
        var broker = new InMemoryBroker(new() { LockDuration = TimeSpan.FromSeconds(3) });
        var heard = new TaskCompletionSource();
        using var host = Build(
            broker,
            (message, cancel) =>
            {
                if (message.DeliveryCount > 1)
                    return new(Settlement.Complete);

                // Not before: a lease that is lost while its message waits for the thread has no handler to tell.
                broker.Faults.RefuseRenewals(1);
                while (!cancel.IsCancellationRequested)
                    Thread.SpinWait(100);
                heard.TrySetResult();
                return new(Settlement.Abandon);
            },
            queue: options => options.Lease.RenewAfter = 0.1);
        await host.StartAsync();
        await SendAsync(broker, "a");

        await heard.Task.WaitAsync(s_tooLong);

        // The handler is told first, and then it is counted.
        await host.StopAsync().WaitAsync(s_tooLong);
        Assert.Equal(1, Status(host).Misses);
    }

    [Fact]
    public async Task A_stop_calls_a_handler_off_that_burns_its_only_thread_and_gives_back_what_waits_behind_it()
    {
        var broker = new InMemoryBroker();
        var begun = new TaskCompletionSource();
        using var host = Build(
            broker,
            (_, cancel) =>
            {
                begun.TrySetResult();
                while (!cancel.IsCancellationRequested)
                    Thread.SpinWait(100);
                throw new OperationCanceledException(cancel);
            },
            options => options.DrainTimeout = TimeSpan.FromMilliseconds(100));
        await SendAsync(broker, "a", "b");
        await host.StartAsync();
        await begun.Task.WaitAsync(s_tooLong);

        await host.StopAsync().WaitAsync(s_tooLong);

        Assert.Equal(new InMemoryQueueCounts("orders", 2, 0, 0, 0), broker.Counts("orders"));
        Assert.Equal((0, 0), (Status(host).LeasesHeld, Status(host).SlotsUsed));
    }

    [Theory]
    [InlineData(TurnOrder.StartedFirst, "baaabb")]
    [InlineData(TurnOrder.RoundRobin, "bababa")]
    public async Task Whose_turn_is_next_is_as_the_host_was_told(TurnOrder order, string expected)
    {
        var broker = new InMemoryBroker();
        var turns = new ConcurrentQueue<string>();
        var (both, all) = (new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously), new TaskCompletionSource());
        var begun = 0;
        using var host = Build(
            broker,
            async (message, _) =>
            {
                if (++begun == 2)
                    both.SetResult();
                await both.Task;
                for (var turn = 0; turn < 3; turn++)
                {
                    turns.Enqueue(message.Id);
                    await Task.Yield();
                }

                if (turns.Count == 6)
                    all.TrySetResult();
                return Settlement.Complete;
            },
            options => options.TurnOrder = order,
            options => options.Admission = AdmissionMode.Fixed);
        await SendAsync(broker, "a", "b");
        await host.StartAsync();

        await all.Task.WaitAsync(s_tooLong);
        await host.StopAsync().WaitAsync(s_tooLong);
        Assert.Equal(expected, string.Concat(turns));
    }

    [Fact]
    public async Task Of_thousands_of_messages_on_real_threads_each_is_handled_and_settled_once()
    {
        const int Messages = 5000;
        var broker = new InMemoryBroker();
        var runs = new ConcurrentDictionary<string, int>();
        var all = new TaskCompletionSource();
        using var host = Build(broker, async (message, _) =>
        {
            await Task.Yield();
            runs.AddOrUpdate(message.Id, 1, static (_, count) => count + 1);
            if (runs.Count == Messages)
                all.TrySetResult();
            return Settlement.Complete;
        });
        await SendAsync(broker, [.. Enumerable.Range(0, Messages).Select(n => $"m{n}")]);
        await host.StartAsync();
        await all.Task.WaitAsync(s_tooLong);
        await host.StopAsync().WaitAsync(s_tooLong);

        Assert.All(runs.Values, count => Assert.Equal(1, count));
        Assert.Equal((Messages, Messages, 0), (Status(host).Received, Status(host).Completed, Status(host).Misses));
        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 0, 0), broker.Counts("orders"));
    }

    private static QueueStatus Status(IHost host) => host.Services.GetRequiredService<IEngine>().Status.Queues[0];

    private static async Task SendAsync(InMemoryBroker broker, params string[] ids)
    {
        await using var sender = await broker.OpenSenderAsync("orders", default);
        foreach (var id in ids)
            await sender.SendAsync(new Message { Id = id }, TimeSpan.Zero, default);
    }

    private static IHost Build(InMemoryBroker broker, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<HoldfastOptions>? configure = null, Action<QueueOptions>? queue = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services
            .AddHoldfast(options =>
            {
                options.Threads = 1;
                configure?.Invoke(options);
            })
            .UseBroker(_ => broker)
            .Handle("orders", handle, queue);
        return builder.Build();
    }
}
