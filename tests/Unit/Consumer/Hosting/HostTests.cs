using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class HostTests : IAsyncDisposable
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(30);

    private readonly InMemoryBroker _broker = new();
    private readonly Seen _seen = new();

    public ValueTask DisposeAsync() => _broker.DisposeAsync();

    [Fact]
    public void A_host_whose_clock_is_not_the_brokers_is_refused()
    {
        using var host = Build(holdfast =>
        {
            holdfast.Services.AddSingleton<TimeProvider>(new VirtualTime());
            holdfast.Handle("orders", (_, _) => new(Settlement.Complete));
        });

        Assert.Contains("leases are reckoned by both", Assert.Throws<InvalidOptionsException>(() => host.Services.GetServices<IHostedService>().ToArray()).Message);
    }

    [Fact]
    public void Order_by_sessions_is_refused_where_the_broker_has_none()
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast().UseBroker(_ => new RabbitMqBroker(new() { Uri = "amqp://one" })).Handle("orders", (_, _) => default, queue => queue.OrderBy = "session");
        using var host = builder.Build();

        var refusal = Assert.Throws<InvalidOptionsException>(() => host.Services.GetServices<IHostedService>().ToArray());

        Assert.Equal(["OrderBy"], refusal.Errors.Select(error => error.Setting));
        Assert.Contains("session orders nothing in orders, whose broker has no sessions", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_is_made_in_a_scope_of_its_own_for_each_attempt()
    {
        using var host = Build(holdfast => holdfast.Handle<FailsOnce>("orders", options => options.Retry.ImmediateDelay = TimeSpan.Zero));
        await host.StartAsync();
        await SendAsync("{}");

        var first = await _seen.NextAsync();
        var second = await _seen.NextAsync();
        await host.StopAsync();

        Assert.NotEqual(first, second);
        Assert.Equal(2, _seen.ScopesEnded);
        Assert.Equal(1, Status(host).Queues[0].Completed);
    }

    [Fact]
    public async Task A_typed_handler_gets_the_body_read_and_what_cannot_be_read_is_put_aside()
    {
        using var host = Build(holdfast => holdfast.Handle<TakesOrder, Order>("orders"));
        await host.StartAsync();
        await SendAsync("nonsense");
        await SendAsync("""{"number": 7}""");

        Assert.Equal("order 7", await _seen.NextAsync());
        await host.StopAsync();

        Assert.Equal((1, 1), (Status(host).Queues[0].Completed, Status(host).Queues[0].DeadLettered));
    }

    [Fact]
    public async Task A_scoped_service_is_told_the_message_that_it_works_for()
    {
        using var host = Build(holdfast =>
        {
            holdfast.Services.AddScoped<Knowing>();
            holdfast.Handle<Asks>("orders");
        });
        await host.StartAsync();
        await SendAsync("{}");

        Assert.Equal("{}", await _seen.NextAsync());
        await host.StopAsync();
        using var scope = host.Services.CreateScope();
        Assert.Throws<InvalidOperationException>(() => scope.ServiceProvider.GetRequiredService<HeldMessage>());
    }

    [Fact]
    public async Task What_a_handler_threw_decides_even_where_its_scope_fails_to_end()
    {
        using var host = Build(holdfast =>
        {
            holdfast.Services.AddScoped<Ending>();
            holdfast.Handle<Fails>("orders", options => options.Retry.On<FormatException>(rule => rule.DeadLetterReason = "hopeless"));
        });
        await host.StartAsync();
        await SendAsync("{}");

        Assert.Equal("attempt 1", await _seen.NextAsync());
        await host.StopAsync();
        await using var dead = await _broker.OpenReceiverAsync(DeadLetters.QueueOf("orders"), default);
        var letters = new Delivery[1];
        Assert.Equal(1, await dead.ReceiveAsync(letters, default));

        var told = letters[0].Message.Properties;
        Assert.Equal("hopeless", told[DeadLetterProperties.Reason]);
        Assert.Contains("FormatException: No order. (then IOException: Connection lost.)", (string)told[DeadLetterProperties.Description]!);
    }

    [Fact]
    public async Task A_scope_that_fails_to_end_has_failed_its_attempt()
    {
        using var host = Build(holdfast =>
        {
            holdfast.Services.AddScoped<Ending>();
            holdfast.Handle<Ends>("orders", options => (options.Retry.ImmediateDelay, options.Retry.Immediate) = (TimeSpan.Zero, 1));
        });
        await host.StartAsync();
        await SendAsync("{}");

        Assert.Equal(("attempt 1", "attempt 2"), (await _seen.NextAsync(), await _seen.NextAsync()));
        await host.StopAsync();
        Assert.Equal(1, Status(host).Queues[0].Completed);
    }

    [Fact]
    public async Task Each_queue_has_its_own_settings_and_figures()
    {
        using var host = Build(holdfast => holdfast
            .Handle("orders", (_, _) => new(Settlement.Complete), options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Fixed, 3))
            .Handle("parcels", (_, _) =>
            {
                _seen.See("parcel");
                return new(Settlement.DeadLetter("odd", "Odd."));
            }, options => (options.Admission, options.MaxConcurrency) = (AdmissionMode.Fixed, 5)));
        await host.StartAsync();
        await SendAsync("{}", "parcels");
        await _seen.NextAsync();
        await host.StopAsync();

        Assert.Equal([("orders", 3, 0), ("parcels", 5, 1)], Status(host).Queues.Select(queue => (queue.Queue, queue.SlotsLimit, (int)queue.DeadLettered)));
    }

    [Fact]
    public async Task A_log_that_fails_ends_neither_the_engine_nor_a_message()
    {
        using var host = Build(holdfast =>
        {
            holdfast.Services.AddSingleton<ILoggerProvider, BrokenLogs>();
            holdfast.Handle("orders", (message, _) =>
            {
                _seen.See($"delivery {message.DeliveryCount}");
                return message.DeliveryCount > 1 ? new(Settlement.Complete) : throw new InvalidOperationException();
            }, options => (options.Retry.Immediate, options.Retry.Delay) = (0, TimeSpan.FromMilliseconds(1)));
        });
        await host.StartAsync();
        await SendAsync("{}");

        Assert.Equal(("delivery 1", "delivery 2"), (await _seen.NextAsync(), await _seen.NextAsync()));
        await host.StopAsync();

        Assert.Equal((1, 0), (Status(host).Queues[0].Completed, Status(host).Queues[0].Misses));
    }

    [Fact]
    public async Task Middleware_of_a_queue_that_nobody_handles_is_a_mistake()
    {
        using var host = Build(holdfast => holdfast.Use((message, next, cancel) => next(message, cancel), "order").Handle("orders", (_, _) => default));

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.Equal("order has middleware, but is not handled; name a queue that is, or none for all of them.", Assert.Single(mistakes.Errors).Problem);
    }

    [Fact]
    public async Task Middleware_of_a_queue_that_is_handled_stands_around_its_handler()
    {
        using var host = Build(holdfast => holdfast
            .Use(
                (message, next, cancel) =>
                {
                    _seen.See($"around {message.Queue}");
                    return next(message, cancel);
                },
                "orders")
            .Handle("orders", (_, _) => new(Settlement.Complete)));
        await host.StartAsync();
        await SendAsync("{}");

        Assert.Equal("around orders", await _seen.NextAsync());
        await host.StopAsync();
    }

    [Fact]
    public async Task A_stop_lets_a_function_that_runs_finish()
    {
        var mayEnd = new TaskCompletionSource();
        using var host = Build(holdfast => holdfast.Handle("orders", async (message, _) =>
        {
            _seen.See(message.Id);
            await mayEnd.Task;
            return Settlement.Complete;
        }));
        await host.StartAsync();
        await SendAsync("{}");
        await _seen.NextAsync();

        var stop = host.StopAsync();
        Assert.Equal(EngineState.Draining, Status(host).State);
        mayEnd.SetResult();
        await stop.WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Stopped, 1), (Status(host).State, Status(host).Queues[0].Completed));
    }

    [Fact]
    public async Task Mistakes_in_the_settings_are_told_all_at_once_when_it_starts()
    {
        using var host = Build(
            holdfast =>
            {
                holdfast.Handle("orders", (_, _) => default, options => options.MaxConcurrency = 0);
                holdfast.Handle("orders", (_, _) => default);
            },
            options => options.Threads = 0);

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.Equal(["MaxConcurrency of orders", "Queue", "Threads"], mistakes.Errors.Select(error => error.Setting).Order());
    }

    [Fact]
    public async Task A_mistake_in_one_of_several_queues_names_it()
    {
        using var host = Build(holdfast => holdfast
            .Handle("orders", (_, _) => default)
            .Handle("parcels", (_, _) => default, options => options.Retry.Immediate = 21));

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.Equal("Retry__Immediate of parcels: 21 is out of range; set 0 to 20.", mistakes.Message);
    }

    [Fact]
    public async Task A_host_that_names_no_broker_is_told_so()
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast().Handle("orders", (_, _) => default);
        using var host = builder.Build();

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.Equal("Broker: No broker is named; call UseBroker on what AddHoldfast returns.", mistakes.Message);
    }

    [Fact]
    public async Task A_host_that_only_sends_is_told_how_it_can()
    {
        using var host = Build(_ => { });

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.EndsWith("or AddHoldfastSenders in its place where the host only sends.", mistakes.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_handler_that_comes_out_as_null_is_told_by_its_queue()
    {
        using var host = Build(holdfast => holdfast.Handle("orders", services => services.GetService<IHandler>()!));

        var mistakes = await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync());

        Assert.StartsWith("Queue: orders has no handler", mistakes.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Nor_is_a_middleware_a_broker_or_a_store_that_comes_out_as_null_left_to_the_messages()
    {
        Assert.StartsWith("Queue: orders has middleware that is null", await RefusalAsync(holdfast => holdfast.Use(_ => null!)), StringComparison.Ordinal);
        Assert.StartsWith("Broker: What is to make the broker returned null", await RefusalAsync(holdfast => holdfast.UseBroker(_ => null!)), StringComparison.Ordinal);
        Assert.StartsWith("Idempotency: What is to make the store returned null", await RefusalAsync(holdfast => holdfast.UseIdempotency(_ => null!)), StringComparison.Ordinal);

        async Task<string> RefusalAsync(Action<HoldfastBuilder> more)
        {
            using var host = Build(holdfast => more(holdfast.Handle("orders", (_, _) => new(Settlement.Complete))));
            return (await Assert.ThrowsAsync<InvalidOptionsException>(() => host.StartAsync())).Message;
        }
    }

    [Fact]
    public void What_is_null_is_refused_where_it_is_written() =>
        Build(holdfast =>
        {
            Assert.Throws<ArgumentNullException>("broker", () => holdfast.UseBroker(null!));
            Assert.Throws<ArgumentNullException>("store", () => holdfast.UseIdempotency(null!));
            Assert.Throws<ArgumentNullException>("middleware", () => holdfast.Use((Middleware)null!));
            Assert.Throws<ArgumentNullException>("middleware", () => holdfast.Use((Func<IServiceProvider, Middleware>)null!));
            Assert.Throws<ArgumentNullException>("handler", () => holdfast.Handle("orders", (Func<IServiceProvider, IHandler>)null!));
            Assert.Throws<ArgumentNullException>("handle", () => holdfast.Handle("orders", (Func<HeldMessage, CancellationToken, ValueTask<Settlement>>)null!));
        }).Dispose();

    [Fact]
    public async Task Called_twice_it_adds_one_engine_that_both_configure()
    {
        using var host = Build(
            holdfast =>
            {
                holdfast.Handle("orders", (_, _) => new(Settlement.Complete));
                holdfast.Services.AddHoldfast(options => options.DrainTimeout = TimeSpan.FromSeconds(7)).Handle("parcels", (message, _) =>
                {
                    _seen.See(message.Id);
                    return new(Settlement.Complete);
                });
            },
            options => options.Threads = 3);
        await host.StartAsync();
        await SendAsync("{}", "parcels");
        Assert.Equal("{}", await _seen.NextAsync());
        await host.StopAsync();

        var options = Assert.Single(host.Services.GetServices<HoldfastOptions>());
        Assert.Equal((3, TimeSpan.FromSeconds(7)), (options.Threads, options.DrainTimeout));
        Assert.Equal((3, 2), (Status(host).Threads, Status(host).Queues.Count));
        Assert.Single(host.Services.GetServices<IEngine>());
    }

    [Fact]
    public async Task A_queue_that_cannot_be_opened_for_good_stops_the_host_and_its_state_tells_the_exit_code()
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddHoldfast().UseBroker(_ => new ClosedBroker()).Handle("orders", (_, _) => default);
        using var host = builder.Build();
        var engine = host.Services.GetRequiredService<IEngine>();

        await host.RunAsync().WaitAsync(s_tooLong);

        Assert.Equal((EngineState.Failed, "Can't consume orders: There is no such queue."), (engine.Status.State, engine.Status.Fault));
    }

    [Fact]
    public void It_can_be_disposed_without_ever_being_started()
    {
        using var host = Build(holdfast => holdfast.Handle("orders", (_, _) => default));
        Assert.Equal(EngineState.Starting, Status(host).State);
    }

    private static EngineStatus Status(IHost host) => host.Services.GetRequiredService<IEngine>().Status;

    private async Task SendAsync(string body, string queue = "orders")
    {
        await using var sender = await _broker.OpenSenderAsync(queue, default);
        await sender.SendAsync(new Message { Id = body, Body = System.Text.Encoding.UTF8.GetBytes(body) }, TimeSpan.Zero, default);
    }

    private IHost Build(Action<HoldfastBuilder> handle, Action<HoldfastOptions>? configure = null)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton(_seen);
        builder.Services.AddScoped<Scoped>();
        handle(builder.Services.AddHoldfast(configure ?? (options => options.Threads = 2)).UseBroker(_ => _broker));
        return builder.Build();
    }

    private sealed record Order(int Number);

    /// <summary>What the handlers saw, in order.</summary>
    private sealed class Seen
    {
        private readonly System.Threading.Channels.Channel<string> _seen = System.Threading.Channels.Channel.CreateUnbounded<string>();
        private int _scopesEnded;

        public int ScopesEnded => Volatile.Read(ref _scopesEnded);

        public void See(string what) => _seen.Writer.TryWrite(what);

        public void EndScope() => Interlocked.Increment(ref _scopesEnded);

        public Task<string> NextAsync() => _seen.Reader.ReadAsync().AsTask().WaitAsync(s_tooLong);
    }

    private sealed class Scoped(Seen seen) : IDisposable
    {
        public string Name { get; } = Guid.NewGuid().ToString();

        public void Dispose() => seen.EndScope();
    }

    private sealed class FailsOnce(Scoped scoped, Seen seen) : IHandler
    {
        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            seen.See(scoped.Name);
            return message.Attempt == 1 ? throw new InvalidOperationException() : new(Settlement.Complete);
        }
    }

    private sealed class Ending(HeldMessage message) : IAsyncDisposable
    {
        public ValueTask DisposeAsync() => message.Attempt == 1 ? throw new IOException("Connection lost.") : default;
    }

    private sealed class Fails(Ending ending, Seen seen) : IHandler
    {
        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            Assert.NotNull(ending);
            seen.See($"attempt {message.Attempt}");
            throw new FormatException("No order.");
        }
    }

    private sealed class Ends(Ending ending, Seen seen) : IHandler
    {
        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            Assert.NotNull(ending);
            seen.See($"attempt {message.Attempt}");
            return new(Settlement.Complete);
        }
    }

    private sealed class Knowing(HeldMessage message)
    {
        public string Id => message.Id;
    }

    private sealed class Asks(Knowing knowing, Seen seen) : IHandler
    {
        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            seen.See(knowing.Id);
            return new(Settlement.Complete);
        }
    }

    private sealed class TakesOrder(Seen seen) : IHandler<Order>
    {
        public ValueTask<Settlement> HandleAsync(Order body, HeldMessage message, CancellationToken cancel)
        {
            seen.See($"order {body.Number}");
            return new(Settlement.Complete);
        }
    }

    private sealed class BrokenLogs : ILoggerProvider, ILogger
    {
        public ILogger CreateLogger(string categoryName) =>
            categoryName == "Holdfast" ? this : NullLogger.Instance;

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
            throw new IOException("No space left on device.");

        public void Dispose()
        {
        }
    }
}
