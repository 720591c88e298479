using System.Text;
using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class FailureStoryTests : IDisposable
{
    private const int MostBytes = 16 * 1024;
    private Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _handle = (_, _) => throw new InvalidOperationException("No luck.");
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void A_dead_letter_tells_of_all_its_deliveries()
    {
        _handle = (message, _) => throw (message.DeliveryCount == 1 ? new TimeoutException("Too slow.") : new InvalidOperationException("No luck."));
        var hand = Start(options => (options.Retry.Immediate, options.Retry.MaxDeliveries) = (1, 3));
        var start = hand.Time.GetUtcNow();

        hand.Send("a");
        hand.Run(60);

        var dead = hand.DeadLetter("a").Properties;
        Assert.Equal("handler_failed", dead[DeadLetterProperties.Reason]);
        Assert.Equal(("System.InvalidOperationException", "No luck."), (dead[DeadLetterProperties.Exception], dead[DeadLetterProperties.ExceptionMessage]));
        Assert.Contains(nameof(A_dead_letter_tells_of_all_its_deliveries), Assert.IsType<string>(dead[DeadLetterProperties.Stack]));
        Assert.Equal((3, Environment.MachineName), (dead[DeadLetterProperties.Deliveries], dead[DeadLetterProperties.Worker]));
        Assert.InRange(Time(dead[DeadLetterProperties.FirstFailure]) - start, TimeSpan.Zero, TimeSpan.FromSeconds(1));
        Assert.InRange(Time(dead[DeadLetterProperties.LastFailure]) - start, TimeSpan.FromSeconds(15), TimeSpan.FromSeconds(16));
        Assert.Equal(
            ["1 2 System.TimeoutException: Too slow.", "2 2 System.InvalidOperationException: No luck.", "3 2 System.InvalidOperationException: No luck."],
            History(dead).Select(failed => $"{failed.Delivery} {failed.Attempts} {failed.Exception}: {failed.Message}"));
        Assert.All(History(dead), failed => Assert.Equal((Environment.MachineName, null), (failed.Worker, failed.Trace)));
        Assert.DoesNotContain(DeadLetterProperties.Trace, dead.Keys);
    }

    [Fact]
    public void What_a_handler_puts_aside_by_itself_tells_of_the_failures_before()
    {
        _handle = (message, _) => message.DeliveryCount == 1 ? throw new TimeoutException("Too slow.") : new(Settlement.DeadLetter("odd", "An odd message."));
        var hand = Start();

        hand.Send("a");
        hand.Run(60);

        var dead = hand.DeadLetter("a").Properties;
        Assert.Equal(("odd", "An odd message."), (dead[DeadLetterProperties.Reason], dead[DeadLetterProperties.Description]));
        Assert.Equal([1], History(dead).Select(failed => failed.Delivery));
        Assert.DoesNotContain(DeadLetterProperties.Exception, dead.Keys);
    }

    [Fact]
    public void What_a_handler_delays_by_itself_keeps_its_history_and_is_no_failure()
    {
        _handle = (message, _) => message.DeliveryCount switch
        {
            1 => throw new TimeoutException("Too slow."),
            2 => new(Settlement.Delay(TimeSpan.FromSeconds(5))),
            _ => throw new InvalidOperationException("No luck."),
        };
        var hand = Start(options => options.Retry.MaxDeliveries = 3);

        hand.Send("a");
        hand.Run(60);

        Assert.Equal([1, 3], History(hand.DeadLetter("a").Properties).Select(failed => failed.Delivery));
    }

    [Fact]
    public void A_handler_sees_the_sender_s_properties_and_not_the_history()
    {
        List<string[]> seen = [];
        _handle = (message, _) =>
        {
            seen.Add([.. message.Message.Properties.Keys]);
            throw new InvalidOperationException("No luck.");
        };
        var hand = Start();

        hand.Send(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["mine"] = 1 } });
        hand.Run(6);

        Assert.Equal([["mine"], ["mine"]], seen);
    }

    [Fact]
    public void The_story_is_bounded_however_much_the_failures_say_and_however_many_they_are()
    {
        // The longest in bytes for its length, and what JSON must escape.
        var flood = new string('\u0001', 20_000) + string.Concat(Enumerable.Repeat("\U0001F600", 20_000));
        _handle = (_, _) => throw new InvalidOperationException(flood);
        var hand = Start(options => (options.Retry.MaxDeliveries, options.Retry.MaxDelay) = (30, TimeSpan.FromSeconds(5)));

        hand.Send("a");
        hand.Run(200);

        var dead = hand.DeadLetter("a").Properties;
        Assert.InRange(dead.Values.OfType<string>().Sum(Encoding.UTF8.GetByteCount), 1, MostBytes);
        Assert.EndsWith("... (delivery 30 of 30, attempt 1)", Assert.IsType<string>(dead[DeadLetterProperties.Description]), StringComparison.Ordinal);
        Assert.Equal((1, 30), (History(dead)[0].Delivery, History(dead)[^1].Delivery));
    }

    [Fact]
    public void What_a_handler_says_itself_is_bounded_too()
    {
        var flood = string.Concat(Enumerable.Repeat("\U0001F600", 50_000));
        _handle = (message, _) => message.DeliveryCount < 12 ? throw new InvalidOperationException(flood) : new(Settlement.DeadLetter(flood, flood));
        var hand = Start(options => (options.Retry.MaxDeliveries, options.Retry.MaxDelay) = (30, TimeSpan.FromSeconds(5)));

        hand.Send("a");
        hand.Run(100);

        var dead = hand.DeadLetter("a").Properties;
        Assert.InRange(dead.Values.OfType<string>().Sum(Encoding.UTF8.GetByteCount), 1, MostBytes);
        Assert.All([dead[DeadLetterProperties.Reason], dead[DeadLetterProperties.Description]], IsWholeExcerpt);

        static void IsWholeExcerpt(object? text) => Assert.Matches("^(\U0001F600)+[.]{3}$", Assert.IsType<string>(text));
    }

    [Fact]
    public void What_says_nothing_at_all_is_put_aside_all_the_same()
    {
        _handle = (_, _) => new(Settlement.DeadLetter(null!, null!));
        var hand = Start();

        hand.Send("a");
        hand.Run(1);

        Assert.Equal("", hand.DeadLetter("a").Properties[DeadLetterProperties.Reason]);
    }

    [Fact]
    public void Of_many_failures_the_first_and_the_last_ones_are_told()
    {
        var hand = Start(options => (options.Retry.MaxDeliveries, options.Retry.MaxDelay) = (14, TimeSpan.FromSeconds(5)));

        hand.Send("a");
        hand.Run(100);

        Assert.Equal([1, .. Enumerable.Range(6, 9)], History(hand.DeadLetter("a").Properties).Select(failed => failed.Delivery));
    }

    [Theory]
    [InlineData("nonsense")]
    [InlineData("[null, 5]")]
    [InlineData("[null]")]
    [InlineData("{}")]
    [InlineData(7)]
    public void What_others_wrote_under_the_history_s_name_does_no_harm(object nonsense)
    {
        var hand = Start(options => options.Retry.MaxDeliveries = 1);

        hand.Send(new Message { Id = "a", Properties = new Dictionary<string, object?> { [DeadLetterProperties.Failures] = nonsense } });
        hand.Run(1);

        Assert.Equal([1], History(hand.DeadLetter("a").Properties).Select(failed => failed.Delivery));
    }

    [Theory]
    [InlineData("short", 10, "short")]
    [InlineData("0123456789", 10, "0123456789")]
    [InlineData("0123456789A", 10, "0123456...")]
    [InlineData("ääääääääää", 10, "äää...")]
    [InlineData("\U0001F600\U0001F600\U0001F600", 10, "\U0001F600...")]
    public void An_excerpt_ends_between_two_letters(string text, int most, string excerpt) => Assert.Equal(excerpt, Excerpt.Of(text, most));

    [Fact]
    public void A_note_is_one_line() => Assert.Equal("one  two", Excerpt.OneLine("one\r\ntwo", 100));

    [Theory]
    [InlineData("abandons it")]
    [InlineData("delays it")]
    public void A_message_that_never_fails_and_never_ends_is_put_aside_at_last(string handler)
    {
        _handle = (_, _) => new(handler == "delays it" ? Settlement.Delay(TimeSpan.FromSeconds(1)) : Settlement.Abandon);
        var hand = Start(options => options.Retry.MaxDeliveries = 5);

        hand.Send("a");
        hand.Run(30);

        var dead = hand.DeadLetter("a").Properties;
        Assert.Equal(("max_deliveries", 6), (dead[DeadLetterProperties.Reason], dead[DeadLetterProperties.Deliveries]));
        Assert.DoesNotContain(DeadLetterProperties.Failures, dead.Keys);
        Assert.Equal(new InMemoryQueueCounts("orders", 0, 0, 0, Dead: 1), hand.Counts);
    }

    private static List<FailedDelivery> History(IReadOnlyDictionary<string, object?> properties) =>
        JsonSerializer.Deserialize<List<FailedDelivery>>(Assert.IsType<string>(properties[DeadLetterProperties.Failures]), JsonSerializerOptions.Web)!;

    private static DateTimeOffset Time(object? text) => DateTimeOffset.Parse(Assert.IsType<string>(text), System.Globalization.CultureInfo.InvariantCulture);

    private EngineByHand Start(Action<QueueOptions>? configure = null)
    {
        _hand = new EngineByHand((message, cancel) => _handle(message, cancel), configure);
        return _hand.Start();
    }
}
