using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class AttemptTimeoutTests : IDisposable
{
    private readonly List<HeldMessage> _runs = [];
    private readonly List<TaskScheduler> _schedulers = [];
    private Func<HeldMessage, CancellationToken, Task> _work = (_, _) => Task.CompletedTask;
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void An_attempt_that_takes_too_long_is_called_off_and_the_next_one_has_its_own_time()
    {
        _work = (message, cancel) => _hand!.Nap(message.Attempt == 1 ? 100 : 1.5, cancel);
        var hand = Start();

        hand.Run(2.01);
        Assert.Single(_runs);
        hand.Run(3);

        Assert.Equal(["a", "a"], _runs.Select(message => message.Id));
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void After_a_timeout_the_next_attempt_is_on_the_message_s_lane()
    {
        _work = (_, cancel) => _hand!.Nap(100, cancel);
        Start().Run(8);

        Assert.Equal(2, _runs.Count);
        Assert.IsType<Strand>(Assert.Single(_schedulers.Distinct()));
    }

    [Fact]
    public void A_message_whose_attempts_all_take_too_long_is_delayed_and_tells_of_a_timeout()
    {
        _work = (_, cancel) => _hand!.Nap(100, cancel);
        var hand = Start(options => options.Retry.MaxDeliveries = 1);

        hand.Run(8);

        var dead = hand.DeadLetter("a").Properties;
        Assert.Equal("System.TimeoutException", dead[DeadLetterProperties.Exception]);
        Assert.Equal("The attempt took longer than 00:00:02 (Retry__AttemptTimeout).", dead[DeadLetterProperties.ExceptionMessage]);
    }

    [Fact]
    public void What_a_handler_has_registered_with_its_token_may_throw_and_ends_nothing()
    {
        _work = (_, cancel) =>
        {
            cancel.Register(() => throw new InvalidOperationException("This callback is broken."));
            return _hand!.Nap(100, cancel);
        };
        var hand = Start(options => options.Retry.MaxDeliveries = 1);

        hand.Run(8);

        Assert.Equal("System.TimeoutException", hand.DeadLetter("a").Properties[DeadLetterProperties.Exception]);
    }

    [Fact]
    public void A_lost_lease_is_no_timeout_and_not_the_message_s_fault()
    {
        _work = (_, cancel) => _hand!.Nap(100, cancel);
        var hand = Start();

        hand.Run(1);
        hand.Keeper.Lose(hand.Queue.InHand.All()[0].Lease, MissReason.Expired);
        hand.Run(0);
        Assert.Equal(0, hand.Queue.Admission.Used);
        hand.Run(1.5);

        Assert.Single(_runs);
        Assert.Empty(hand.Spy.Settled);
        Assert.Equal(0, hand.Queue.Meter.Retries);
    }

    [Fact]
    public void A_drain_that_ends_an_attempt_gives_the_message_back_without_a_mark_of_failure()
    {
        _work = (_, cancel) => _hand!.Nap(100, cancel);
        var hand = Start(options => options.Retry.AttemptTimeout = TimeSpan.FromSeconds(50));

        hand.Run(0);
        hand.RunTo(hand.Engine.DrainAsync(TimeSpan.FromSeconds(1)), within: 5);

        Assert.Equal(["a Abandon"], hand.Spy.Settled);
        Assert.DoesNotContain(DeadLetterProperties.Failures, hand.Take("orders").Properties.Keys);
    }

    [Fact]
    public void What_is_done_late_is_done_and_what_it_published_is_sent()
    {
        _work = (message, _) =>
        {
            message.Publish("next", new Message { Id = "b" });
            return _hand!.Sleep(3);
        };
        var hand = Start();

        hand.Run(10);

        Assert.Single(_runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
        Assert.Equal("b", hand.Take("next").Id);
    }

    [Fact]
    public void A_send_goes_on_when_the_time_of_the_attempt_is_up()
    {
        _work = (message, _) =>
        {
            message.Publish("next", new Message { Id = "b" });
            return _hand!.Sleep(1);
        };
        var hand = Start();
        hand.Faults.Sends.Slow(TimeSpan.FromSeconds(2));

        hand.Run(10);

        Assert.Single(_runs);
        Assert.Equal(["a Complete"], hand.Spy.Settled);
    }

    [Fact]
    public void A_cancellation_that_comes_in_another_guise_is_a_timeout_and_tells_of_it()
    {
        _work = async (_, cancel) =>
        {
            try
            {
                await _hand!.Nap(100, cancel);
            }
            catch (OperationCanceledException)
            {
                throw new InvalidOperationException("Operation cancelled by user.");
            }
        };
        var hand = Start(options => options.Retry.On<TimeoutException>(rule => rule.DeadLetterReason = "too_slow"));

        hand.Run(8);

        var dead = hand.DeadLetter("a").Properties;
        Assert.Single(_runs);
        Assert.Equal(("too_slow", "System.TimeoutException"), (dead[DeadLetterProperties.Reason], dead[DeadLetterProperties.Exception]));
        Assert.Equal(
            "The attempt took longer than 00:00:02 (Retry__AttemptTimeout), and ended with InvalidOperationException: Operation cancelled by user.",
            dead[DeadLetterProperties.ExceptionMessage]);
    }

    [Fact]
    public void What_fails_in_time_is_no_timeout_even_where_it_is_called_off_by_others()
    {
        _work = (_, _) => throw new TaskCanceledException("By a client's own limit.");
        var hand = Start(options => options.Retry.MaxDeliveries = 1);

        hand.Run(8);

        Assert.Equal("System.Threading.Tasks.TaskCanceledException", hand.DeadLetter("a").Properties[DeadLetterProperties.Exception]);
    }

    private EngineByHand Start(Action<QueueOptions>? configure = null)
    {
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>>? publishing = null;
        _hand = new EngineByHand(
            (message, cancel) => (publishing ??= Publishing.After(HandleAsync, new Senders(_hand!.Spy)))(message, cancel),
            options =>
            {
                (options.Retry.Immediate, options.Retry.AttemptTimeout) = (1, TimeSpan.FromSeconds(2));
                configure?.Invoke(options);
            });
        _hand.Send("a");
        return _hand.Start();
    }

    private async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        _runs.Add(message);
        _schedulers.Add(TaskScheduler.Current);
        await _work(message, cancel);
        _schedulers.Add(TaskScheduler.Current);
        return Settlement.Complete;
    }
}
