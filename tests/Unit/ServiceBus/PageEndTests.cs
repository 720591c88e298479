using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Where a look goes on, and where it ends.</summary>
public sealed class PageEndTests
{
    private const int Asked = 100;
    private const long Part = 1L << 48;

    private static readonly DateTimeOffset s_begun = new(2026, 1, 2, 12, 0, 0, TimeSpan.Zero);
    private static readonly DateTimeOffset s_before = s_begun.AddMinutes(-1);
    private static readonly DateTimeOffset s_since = s_begun.AddSeconds(1);

    [Fact]
    public void Behind_an_empty_answer_nothing_is() => Assert.Null(PageEnd.Next([], Asked, 8, s_begun));

    [Fact]
    public void Behind_a_full_one_it_goes_on_however_new_it_is() =>
        Assert.Equal(8, PageEnd.Next([.. Enumerable.Repeat(Message(s_since), Asked)], Asked, 8, s_begun));

    [Fact]
    public void A_short_one_with_an_older_message_has_more_behind_it() =>
        Assert.Equal(8, PageEnd.Next([Message(s_before), Message(s_since)], Asked, 8, s_begun));

    [Fact]
    public void So_has_one_that_is_short_for_its_size_though_by_a_slow_clock_all_of_it_is_new() =>
        Assert.Equal(8, PageEnd.Next([.. Enumerable.Repeat(Message(s_since, bytes: 10_000), 25)], Asked, 8, s_begun));

    [Theory]
    [InlineData(8, Part)]
    [InlineData((3 * Part) + 8, 4 * Part)]
    public void Behind_a_short_one_of_new_messages_the_next_part_may_have_older_ones(long behind, long next) =>
        Assert.Equal(next, PageEnd.Next([Message(s_since)], Asked, behind, s_begun));

    [Fact]
    public void Behind_the_last_part_there_is_none() => Assert.Null(PageEnd.Next([Message(s_since)], Asked, long.MaxValue, s_begun));

    private static AmqpMessage Message(DateTimeOffset enqueued, int bytes = 10) => new()
    {
        MessageAnnotations = new() { ["x-opt-enqueued-time"] = AmqpTimestamp.From(enqueued) },
        Body = new DataBody(new byte[bytes]),
    };
}
