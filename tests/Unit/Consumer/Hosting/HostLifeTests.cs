using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>How hosts of every kind make, start and stop the engine.</summary>
public sealed class HostLifeTests : IAsyncDisposable
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(30);

    private readonly InMemoryBroker _broker = new();

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task A_host_that_knows_only_start_and_stop_lets_what_runs_finish()
    {
        var (begun, mayEnd) = (new TaskCompletionSource(), new TaskCompletionSource());
        using var host = Build(holdfast => holdfast.Handle("orders", async (_, _) =>
        {
            begun.SetResult();
            await mayEnd.Task;
            return Settlement.Complete;
        }));
        var service = Assert.Single(host.Services.GetServices<IHostedService>());
        await service.StartAsync(default);
        await SendAsync("a");
        await begun.Task.WaitAsync(s_tooLong);

        var stop = service.StopAsync(default);
        Assert.Equal(EngineState.Draining, Status(host).State);
        mayEnd.SetResult();
        await stop.WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Stopped, 1), (Status(host).State, Status(host).Queues[0].Completed));
    }

    [Fact]
    public async Task Once_its_host_has_stopped_it_has_no_thread_left_and_still_tells_what_it_did()
    {
        var onThread = new TaskCompletionSource<Thread>();
        using var host = Build(holdfast => holdfast.Handle("orders", (_, _) =>
        {
            onThread.SetResult(Thread.CurrentThread);
            return new(Settlement.Complete);
        }));
        await host.StartAsync();
        await SendAsync("a");
        var thread = await onThread.Task.WaitAsync(s_tooLong);

        await host.StopAsync().WaitAsync(s_tooLong);

        Assert.False(thread.IsAlive);
        Assert.Equal((EngineState.Stopped, 1), (Status(host).State, Status(host).Queues[0].Completed));
    }

    [Fact]
    public async Task However_often_it_is_stopped_it_stops_once()
    {
        using var host = Build(holdfast => holdfast.Handle("orders", (_, _) => new(Settlement.Complete)));
        var service = (IHostedLifecycleService)Assert.Single(host.Services.GetServices<IHostedService>());
        await service.StartAsync(default);

        var stopping = service.StoppingAsync(default);
        var stop = service.StopAsync(default);
        await stop.WaitAsync(s_tooLong);

        Assert.Same(stopping, stop);
        Assert.Same(stopping, service.StopAsync(default));
    }

    [Fact]
    public async Task However_often_it_is_started_it_starts_once_and_never_again_once_it_was_stopped()
    {
        using var host = Build(holdfast => holdfast.Handle("orders", (_, _) => new(Settlement.Complete)));
        var service = Assert.Single(host.Services.GetServices<IHostedService>());
        await service.StartAsync(default);
        await service.StartAsync(default);
        await service.StopAsync(default).WaitAsync(s_tooLong);

        await Assert.ThrowsAsync<InvalidOperationException>(() => service.StartAsync(default));
    }

    [Fact]
    public async Task A_thread_that_waits_for_the_stop_may_be_the_only_one_of_its_context()
    {
        var stopped = Task.Factory.StartNew(
            () =>
            {
                SynchronizationContext.SetSynchronizationContext(new Blocked());
                using var host = Build(holdfast => holdfast.Handle("orders", (_, _) => new(Settlement.Complete)));
                host.StartAsync().GetAwaiter().GetResult();
                host.StopAsync().GetAwaiter().GetResult();
                return Status(host).State;
            },
            default,
            TaskCreationOptions.LongRunning,
            TaskScheduler.Default);

        Assert.Equal(EngineState.Stopped, await stopped.WaitAsync(s_tooLong));
    }

    [Fact]
    public void Nothing_of_the_engine_is_there_before_all_handlers_are_made()
    {
        List<string> shown = [];
        var thread = 0;
        using var listener = new MeterListener { InstrumentPublished = See };
        using var host = Build(holdfast => holdfast
            .Handle("orders", (_, _) => new(Settlement.Complete))
            .Handle("parcels", _ =>
            {
                thread = 0;
                throw new TimeoutException("No database.");
            }));
        host.Services.GetRequiredService<HoldfastMeter>();
        listener.Start();
        thread = Environment.CurrentManagedThreadId;

        var refusal = Assert.Throws<TimeoutException>(() => Status(host));

        Assert.Equal(("No database.", 0), (refusal.Message, thread));
        Assert.Empty(shown);

        void See(Instrument instrument, MeterListener listener)
        {
            if (Environment.CurrentManagedThreadId == thread)
                shown.Add(instrument.Name);
        }
    }

    [Fact]
    public void So_many_queues_may_be_consumed_that_nobody_can_count_their_slots()
    {
        var queue = new QueueRegistration("orders", new() { MaxConcurrency = 1_000_000 }, _ => throw new NotSupportedException());

        Assert.Equal((3_000_000, int.MaxValue), (EngineHost.Slots(Enumerable.Repeat(queue, 3)), EngineHost.Slots(Enumerable.Repeat(queue, 2200))));
    }

    private static EngineStatus Status(IHost host) => host.Services.GetRequiredService<IEngine>().Status;

    private async Task SendAsync(string id)
    {
        await using var sender = await _broker.OpenSenderAsync("orders", default);
        await sender.SendAsync(new Message { Id = id }, TimeSpan.Zero, default);
    }

    private IHost Build(Action<HoldfastBuilder> handle)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        handle(builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => _broker));
        return builder.Build();
    }

    /// <summary>That of a thread which waits, and runs nothing that is posted to it.</summary>
    private sealed class Blocked : SynchronizationContext
    {
        public override void Post(SendOrPostCallback d, object? state)
        {
        }
    }
}
