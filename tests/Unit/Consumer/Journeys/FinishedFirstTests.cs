using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A message whose handler has ended has only to be settled: however many handlers of ours, and steps of ours, stand around it, no other one has a turn before that.</summary>
public sealed class FinishedFirstTests : IDisposable
{
    private const string Settling = "settling quick Complete";
    private const string OlderGoesOn = "older goes on";

    private readonly TaskCompletionSource _older = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private readonly TaskCompletionSource _left = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private EngineByHand? _hand;
    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _quick = (_, _) => new(Settlement.Complete);

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void It_is_settled_before_a_message_that_was_started_earlier_goes_on()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync));
        _quick = EndLaterAsync;

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void So_it_is_in_a_scope_of_its_own()
    {
        Begin(holdfast => holdfast.Handle<Scoped>("orders").Services.AddSingleton(this));
        _quick = EndLaterAsync;

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void And_with_something_around_it_that_awaits_before_it_goes_on()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync).Use(async (message, next, cancel) =>
        {
            await _hand!.Sleep(0.1);
            return await next(message, cancel);
        }));
        _quick = EndLaterAsync;

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void And_with_a_limit_for_each_attempt()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync), options => options.Retry.AttemptTimeout = TimeSpan.FromSeconds(5));
        _quick = EndLaterAsync;

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void And_where_it_has_something_to_send()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync));
        _quick = (message, cancel) =>
        {
            message.Publish("next", new Message { Id = "b" });
            return EndLaterAsync(message, cancel);
        };

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void And_where_its_answer_comes_to_another_thread()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync));
        var answer = new TaskCompletionSource<Settlement>(TaskCreationOptions.RunContinuationsAsynchronously);
        _quick = (_, _) => new(answer.Task);
        _hand!.Run(0.5);
        _older.SetResult();
        answer.SetResult(Settlement.Complete);

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void And_where_the_attempt_that_ended_was_not_the_first(bool awaits)
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync), Retry);
        _quick = (message, cancel) =>
        {
            if (message.Attempt == 1)
                throw new TimeoutException();
            if (awaits)
                return EndLaterAsync(message, cancel);
            _older.SetResult();
            return new(Settlement.Complete);
        };

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void And_where_the_last_attempt_failed_as_well()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync), Retry);
        _quick = (message, _) =>
        {
            if (message.Attempt == 2)
                _older.SetResult();
            throw new TimeoutException();
        };

        Assert.Equal(["settling quick Delay", OlderGoesOn], Play("settling quick Delay"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void And_where_a_store_is_told_of_it_first(bool awaits)
    {
        var store = new SlowStore();
        Begin(holdfast => holdfast.Handle("orders", HandleAsync), store: store);
        _quick = async (_, _) =>
        {
            if (awaits)
                await _hand!.Sleep(0.1);
            return Settlement.Complete;
        };
        _hand!.Run(1);
        _older.SetResult();
        store.Told.SetResult();

        Assert.Equal([Settling, OlderGoesOn], Play());
    }

    [Fact]
    public void An_attempt_that_failed_gives_the_next_one_no_place_before_others()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync), Retry);
        _quick = async (message, _) =>
        {
            _hand!.Spy.Note($"attempt {message.Attempt}");
            await _hand.Sleep(0.1);
            return message.Attempt > 1 ? Settlement.Complete : throw new TimeoutException();
        };
        ComeDueTogether(after: 0.1);

        Assert.Equal(["attempt 1", OlderGoesOn, "attempt 2", Settling], Play("attempt 1", "attempt 2"));
    }

    [Fact]
    public void Nor_does_a_call_that_ended_give_one_to_the_call_that_follows_it()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync).Use(async (message, next, cancel) =>
        {
            if (message.Id == "quick")
                await next(message, cancel);
            return await next(message, cancel);
        }));
        var calls = 0;
        _quick = async (_, _) =>
        {
            var call = ++calls;
            await _hand!.Sleep(0.1);
            _hand.Spy.Note($"call {call} ends");
            return Settlement.Complete;
        };
        ComeDueTogether(after: 0.1);

        Assert.Equal(["call 1 ends", OlderGoesOn, "call 2 ends", Settling], Play("call 1 ends", "call 2 ends"));
    }

    [Fact]
    public void What_its_handler_left_running_has_no_place_before_others()
    {
        Begin(holdfast => holdfast.Handle("orders", HandleAsync));
        _quick = async (message, cancel) =>
        {
            _ = LeaveAsync();
            await _hand!.Sleep(0.1);
            return Settlement.Complete;
        };
        _hand!.Run(1);
        _left.SetResult();
        _older.SetResult();

        Assert.Equal([Settling, OlderGoesOn, "left goes on"], Play("left goes on"));

        async Task LeaveAsync()
        {
            await _left.Task;
            _hand!.Spy.Note("left goes on");
        }
    }

    private static void Retry(QueueOptions options) => (options.Retry.Immediate, options.Retry.ImmediateDelay) = (1, TimeSpan.FromMilliseconds(10));

    private void Begin(Action<HoldfastBuilder> handle, Action<QueueOptions>? configure = null, IIdempotencyStore? store = null)
    {
        var services = new ServiceCollection();
        handle(services.AddHoldfast().UseBroker(_ => new InMemoryBroker()));
        var provider = services.BuildServiceProvider();
        _hand = new EngineByHand(Assert.Single(provider.GetServices<QueueRegistration>()).Build(provider), configure, options => options.LockDuration = TimeSpan.FromMinutes(1), store: store);
        _hand.Start();
        _hand.Send("older", "quick");
    }

    /// <summary>What was noted of the two, in its order.</summary>
    private string[] Play(params string[] others)
    {
        _hand!.Run(2);
        string[] noted = [.. others, Settling, OlderGoesOn];
        return [.. _hand.Spy.Events.Select(line => line[(line.IndexOf(' ') + 1)..]).Where(noted.Contains)];
    }

    private ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel) =>
        message.Id == "quick" ? _quick(message, cancel) : HandleOlderAsync();

    private async ValueTask<Settlement> HandleOlderAsync()
    {
        await _older.Task;
        _hand!.Spy.Note(OlderGoesOn);
        return Settlement.Complete;
    }

    // Its turn is the last one of its handler, and the older one waits from there on.
    private async ValueTask<Settlement> EndLaterAsync(HeldMessage message, CancellationToken cancel)
    {
        await _hand!.Sleep(0.1);
        _older.SetResult();
        return Settlement.Complete;
    }

    // What the quick one waits for, and what the older one does, come while no thread looks.
    private void ComeDueTogether(double after)
    {
        _hand!.Run(after);
        _hand.Time.Advance(TimeSpan.FromSeconds(0.5));
        _older.SetResult();
    }

    private sealed class Scoped(FinishedFirstTests tests) : IHandler
    {
        public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel) => tests.HandleAsync(message, cancel);
    }

    private sealed class SlowStore : IIdempotencyStore
    {
        public TaskCompletionSource Told { get; } = new();

        public ValueTask RememberAsync(string queue, string key, CancellationToken cancel) => new(Told.Task);

        public ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel) => new(false);
    }
}
