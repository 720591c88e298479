using System.Diagnostics.Metrics;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Tests.Kit;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What the host's own services and those of the engine are to each other.</summary>
public sealed class HostServicesTests : IAsyncDisposable
{
    private const string OnlySent = "host-services-tests";

    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(30);

    private readonly InMemoryBroker _broker = new();
    private readonly TaskCompletionSource<string> _handled = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public async Task What_the_engine_is_built_from_may_have_the_engine()
    {
        using var host = Build(
            services => new Telling(_handled, services.GetRequiredService<IEngine>()),
            holdfast => holdfast.Use(services =>
            {
                var engine = services.GetRequiredService<IEngine>();
                return (message, next, cancel) => engine.Status.State == EngineState.Running ? next(message, cancel) : new(Settlement.Abandon);
            }));
        await StartAsync(host);

        Assert.Equal("Running", await _handled.Task.WaitAsync(s_tooLong));
        await host.StopAsync();
    }

    [Fact]
    public async Task What_uses_the_engine_that_is_still_being_built_from_it_is_told_so()
    {
        using var host = Build(services => new Telling(_handled, services.GetRequiredService<IEngine>().Status.ToString()));

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => Task.Run(() => host.StartAsync()).WaitAsync(s_tooLong));

        Assert.Contains("may keep the IEngine", refusal.Message);
    }

    [Fact]
    public async Task A_handler_may_be_a_service_that_the_host_keeps_under_the_name_of_its_queue()
    {
        using var host = Build(
            services => services.GetRequiredKeyedService<IHandler>("orders"),
            before: services => services.AddKeyedSingleton<IHandler>("orders", new Telling(_handled, "the host's")));
        await StartAsync(host);

        Assert.Equal("the host's", await _handled.Task.WaitAsync(s_tooLong));
        await host.StopAsync();
    }

    [Fact]
    public async Task A_service_of_the_host_takes_no_handlers_place()
    {
        using var host = Build(
            _ => new Telling(_handled, "the queue's"),
            holdfast => holdfast.Services.AddKeyedSingleton<IHandler>("orders", new Telling(_handled, "the host's")));
        await StartAsync(host);

        Assert.Equal("the queue's", await _handled.Task.WaitAsync(s_tooLong));
        await host.StopAsync();
    }

    [Fact]
    public void What_the_host_configures_by_DotNets_own_means_counts()
    {
        using var host = Build(_ => new Telling(_handled, ""), holdfast => holdfast.Services
            .Configure<HoldfastOptions>(options => options.Threads = 3)
            .PostConfigure<HoldfastOptions>(options => options.MaxSpareThreads++));

        Assert.Equal(3, host.Services.GetRequiredService<IEngine>().Status.Threads);
        Assert.Equal(new HoldfastOptions().MaxSpareThreads + 1, host.Services.GetRequiredService<HoldfastOptions>().MaxSpareThreads);
    }

    [Fact]
    public async Task What_the_host_configures_so_that_it_cannot_be_is_refused()
    {
        using var host = Build(_ => new Telling(_handled, ""), holdfast => holdfast.Services.Configure<HoldfastOptions>(options => options.DrainTimeout = TimeSpan.FromSeconds(-5)));

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.Equal("DrainTimeout", Assert.Single(mistakes.Errors).Setting);
    }

    [Fact]
    public async Task A_host_that_only_sends_passes_its_trace_on_and_is_measured()
    {
        using var spans = new SpanLog(OnlySent);
        var counted = 0L;
        using var listener = new MeterListener { InstrumentPublished = (instrument, listener) => Listen(instrument, listener) };
        listener.SetMeasurementEventCallback<long>((_, count, tags, _) => counted += tags.ToArray().Any(tag => OnlySent.Equals(tag.Value)) ? count : 0);
        listener.Start();
        await using var services = new ServiceCollection().AddHoldfastSenders(_ => _broker).BuildServiceProvider();

        await services.GetRequiredService<Senders>().SendAsync(OnlySent, new Message { Id = "a" });
        listener.RecordObservableInstruments();
        await using var receiver = await _broker.OpenReceiverAsync(OnlySent, default);
        var room = new Delivery[1];
        await receiver.ReceiveAsync(room, default);

        Assert.Equal(Assert.Single(spans.Of("publish")).Id, room[0].Message.Properties["traceparent"]);
        Assert.Equal(1, counted);
        Assert.Null(services.GetService<IEngine>());

        static void Listen(Instrument instrument, MeterListener listener)
        {
            if (instrument.Name == "messaging.client.sent.messages")
                listener.EnableMeasurementEvents(instrument);
        }
    }

    private static async Task StartAsync(IHost host)
    {
        await Task.Run(() => host.StartAsync()).WaitAsync(s_tooLong);
        await host.Services.GetRequiredService<Senders>().SendAsync("orders", new Message { Id = "a" });
    }

    private IHost Build(Func<IServiceProvider, IHandler> handler, Action<HoldfastBuilder>? more = null, Action<IServiceCollection>? before = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        before?.Invoke(builder.Services);
        var holdfast = builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => _broker).Handle("orders", handler);
        more?.Invoke(holdfast);
        return builder.Build();
    }

    /// <summary>Tells who it is, or how the engine is.</summary>
    private sealed class Telling(TaskCompletionSource<string> told, Func<string> who) : IHandler
    {
        public Telling(TaskCompletionSource<string> told, string who)
            : this(told, () => who)
        {
        }

        public Telling(TaskCompletionSource<string> told, IEngine engine)
            : this(told, () => engine.Status.State.ToString())
        {
        }

        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            told.TrySetResult(who());
            return new(Settlement.Complete);
        }
    }
}
