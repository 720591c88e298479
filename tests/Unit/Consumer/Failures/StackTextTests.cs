using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class StackTextTests
{
    [Fact]
    public void What_wrapped_another_stands_behind_that()
    {
        var stack = Of(() => Wrap(Fail))!;

        Assert.Equal(2, stack.Split("End of inner exception").Length);
        Assert.Contains(nameof(Fail), stack.Split("End of inner exception")[0]);
        Assert.Contains(nameof(Wrap), stack.Split("End of inner exception")[1]);
    }

    [Fact]
    public void What_was_waited_for_in_place_is_found_in_what_the_wait_threw() => Assert.StartsWith("   at " + typeof(StackTextTests).FullName + "." + nameof(Fail), Of(() => LaterAsync().Wait()));

    [Fact]
    public async Task An_attempt_that_took_too_long_names_where_it_was_called_off()
    {
        var failure = await FailureAsync(HandleAsync, retry => (retry.Immediate, retry.AttemptTimeout) = (0, TimeSpan.FromSeconds(1)));

        Assert.Contains(nameof(HandleAsync), StackText.Of(Assert.IsType<TimeoutException>(failure)));
    }

    [Fact]
    public async Task Of_the_way_through_the_engine_no_more_is_told_than_who_called_the_handler()
    {
        var failure = await FailureAsync(
            async (_, _) =>
            {
                await Task.CompletedTask;
                Fail();
                return Settlement.Complete;
            },
            retry => retry.Immediate = 1);

        var way = StackText.Of(failure!)!.Split('\n');
        Assert.Contains(nameof(Fail), way[0]);
        Assert.Single(way, step => step.Contains("Holdfast.Consumer.", StringComparison.Ordinal));
    }

    [Fact]
    public void What_a_brokers_client_did_is_not_told_before_who_called_it()
    {
        var stack = Of(() =>
        {
            try
            {
                Fail();
            }
            catch (FormatException cause)
            {
                throw new BrokerException("Refused.", isTransient: false, cause);
            }
        });

        Assert.DoesNotContain($".{nameof(Fail)}(", stack);
    }

    [Theory]
    [InlineData(1, 1_000)]
    [InlineData(1_000, 1)]
    [InlineData(1_000, 1_000)]
    public void However_long_they_are_the_innermost_and_the_outermost_have_room(int inner, int outer)
    {
        var stack = StackText.Of(new Long(outer, 'o', new Long(inner, 'i')))!;

        Assert.InRange(Encoding.UTF8.GetByteCount(stack), 1, StackText.Longest);
        Assert.True(stack.Count(letter => letter == 'i') >= Math.Min(inner, 200));
        Assert.True(stack.Count(letter => letter == 'o') >= Math.Min(outer, 200));
    }

    [Fact]
    public void What_was_never_thrown_has_none() => Assert.Null(StackText.Of(new InvalidOperationException("made", new IOException("only"))));

    private static async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        await Task.Delay(Timeout.Infinite, cancel);
        return Settlement.Complete;
    }

    private static async Task<Exception?> FailureAsync(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<RetryOptions> set)
    {
        using var hand = new KeeperByHand();
        var time = new VirtualTime();
        var options = new QueueOptions();
        set(options.Retry);
        var attempts = new Attempts(handle, options.Retry, Admission.Of(options, "orders", hand.Lanes, NullLogger.Instance), time, () => 0.5);

        var attempt = attempts.RunAsync(new HeldMessage("orders", hand.Hold()) { Strand = hand.Lanes.NewStrand(0, "a") }, default).AsTask();
        time.Advance(TimeSpan.FromSeconds(2));
        return (await attempt).Exception;
    }

    private static string? Of(Action fail) => StackText.Of(Record.Exception(() => Throw(fail))!);

    private static void Throw(Action fail) => fail();

    private static void Fail() => throw new FormatException("No number.");

    private static async Task LaterAsync()
    {
        await Task.Yield();
        Fail();
    }

    private static void Wrap(Action fail)
    {
        try
        {
            fail();
        }
        catch (FormatException cause)
        {
            throw new InvalidOperationException("No order.", cause);
        }
    }

    private sealed class Long(int lines, char letter, Exception? cause = null) : Exception("long", cause)
    {
        public override string StackTrace { get; } = string.Join('\n', Enumerable.Repeat($"at {letter} 123", lines));
    }
}
