using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>When the engine begins, among all else that a host starts.</summary>
public sealed class HostStartTests : IAsyncDisposable
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(30);

    private readonly InMemoryBroker _broker = new();
    private readonly TaskCompletionSource _handled = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task It_begins_once_all_else_of_the_host_has_started()
    {
        EngineState? before = null;
        using var host = Build(new Starting(services =>
        {
            before = Status(services).State;
            return Task.CompletedTask;
        }));
        await SendAsync();
        await host.StartAsync();
        await _handled.Task.WaitAsync(s_tooLong);
        await host.StopAsync();

        Assert.Equal((EngineState.Starting, 1), (before, Status(host.Services).Queues[0].Completed));
    }

    [Fact]
    public async Task A_host_that_fails_to_start_has_cost_no_message_a_delivery()
    {
        EngineState? before = null;
        var host = Build(new Starting(services =>
        {
            before = Status(services).State;
            throw new TimeoutException("No database.");
        }));
        await SendAsync();

        await Assert.ThrowsAsync<TimeoutException>(() => host.StartAsync());
        host.Dispose();

        Assert.Equal(EngineState.Starting, before);
        Assert.Equal(1, await DeliveriesAsync());
    }

    [Fact]
    public async Task Where_a_stop_is_asked_for_before_it_begins_it_takes_nothing()
    {
        var host = Build(new Starting(services =>
        {
            services.GetRequiredService<IHostApplicationLifetime>().StopApplication();
            return Task.CompletedTask;
        }));
        var engine = host.Services.GetRequiredService<IEngine>();
        await SendAsync();

        await host.RunAsync().WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Stopped, 0), (engine.Status.State, engine.Status.Queues[0].Received));
        Assert.Equal(1, await DeliveriesAsync());
    }

    [Fact]
    public async Task A_stop_while_the_host_still_starts_fails_neither()
    {
        var (isStarting, mayStart) = (new TaskCompletionSource(), new TaskCompletionSource());
        using var host = Build(new Starting(_ =>
        {
            isStarting.SetResult();
            return mayStart.Task;
        }));
        await SendAsync();
        var start = host.StartAsync();
        await isStarting.Task.WaitAsync(s_tooLong);

        await host.StopAsync().WaitAsync(s_tooLong);
        mayStart.SetResult();
        await start.WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Stopped, 0), (Status(host.Services).State, Status(host.Services).Queues[0].Received));
    }

    [Fact]
    public async Task A_start_after_a_stop_is_refused_before_anything_else_is_started()
    {
        using var host = Build(new Starting(_ => Task.CompletedTask));
        var service = host.Services.GetServices<IHostedService>().OfType<IHostedLifecycleService>().First();
        await service.StartingAsync(default);
        await service.StopAsync(default).WaitAsync(s_tooLong);

        await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(() => service.StartingAsync(default)));
    }

    [Fact]
    public async Task A_queue_that_cannot_be_opened_lets_the_others_start_before_it_stops_the_host()
    {
        using var host = Build(new Starting(_ => Task.CompletedTask)
        {
            Started = async (services, cancel) =>
            {
                while (Status(services).Fault is null)
                    await Task.Yield();

                // As one that has more to do would find out.
                await Task.Delay(TimeSpan.FromMilliseconds(100), cancel);
            },
        }, new ClosedBroker());
        var engine = host.Services.GetRequiredService<IEngine>();

        await host.RunAsync().WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Failed, "Can't consume orders: There is no such queue."), (engine.Status.State, engine.Status.Fault));
    }

    private static EngineStatus Status(IServiceProvider services) => services.GetRequiredService<IEngine>().Status;

    private async Task SendAsync()
    {
        await using var sender = await _broker.OpenSenderAsync("orders", default);
        await sender.SendAsync(new Message { Id = "a" }, TimeSpan.Zero, default);
    }

    private async Task<int> DeliveriesAsync()
    {
        await using var receiver = await _broker.OpenReceiverAsync("orders", default);
        var room = new Delivery[1];
        Assert.Equal(1, await receiver.ReceiveAsync(room, default));
        return room[0].DeliveryCount;
    }

    private IHost Build(Starting other, IBroker? broker = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => broker ?? new Shared(_broker)).Handle("orders", (_, _) =>
        {
            _handled.TrySetResult();
            return new(Settlement.Complete);
        });
        builder.Services.AddHostedService(services => other.In(services));
        return builder.Build();
    }

    /// <summary>A service of the host's own that is started after the engine's.</summary>
    private sealed class Starting(Func<IServiceProvider, Task> start) : IHostedLifecycleService
    {
        private IServiceProvider? _services;

        public Func<IServiceProvider, CancellationToken, Task> Started { get; init; } = (_, _) => Task.CompletedTask;

        public Starting In(IServiceProvider services)
        {
            _services = services;
            return this;
        }

        public Task StartAsync(CancellationToken cancellationToken) => start(_services!);

        public Task StartedAsync(CancellationToken cancellationToken) => Started(_services!, cancellationToken);

        public Task StartingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

        public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    /// <summary>The test's own broker, which outlives the host.</summary>
    private sealed class Shared(IBroker broker) : IBroker
    {
        public string System => broker.System;

        public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => broker.OpenReceiverAsync(queue, cancel);

        public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => broker.OpenSenderAsync(queue, cancel);

        public ValueTask DisposeAsync() => default;
    }
}
