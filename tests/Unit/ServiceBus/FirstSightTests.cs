using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>What of a dead letter's deliveries counts against whoever handles it now.</summary>
public sealed class FirstSightTests
{
    private readonly Mail _mail = new();

    [Theory]
    [InlineData("orders/$DeadLetterQueue", 1, 2)]
    [InlineData("orders", 11, 12)]
    public void Of_dead_letters_only_those_since_this_process_saw_it_first(string queue, int first, int second)
    {
        var incoming = _mail.Open(queue);

        var (one, two) = (_mail.Arrive(Delivered(10), incoming), _mail.Arrive(Delivered(11), incoming));

        Assert.Equal((first, second), (one.Tries, two.Tries));
        Assert.Equal((11, 12), (one.DeliveryCount, two.DeliveryCount));
    }

    [Fact]
    public void Each_letter_for_itself_and_one_of_a_queue_that_was_made_anew_is_another()
    {
        var sight = new FirstSight();

        Assert.Equal(
            [1, 1, 1, 3],
            [sight.Tries(1, Mail.Noon, 11), sight.Tries(2, Mail.Noon, 5), sight.Tries(1, Mail.Noon.AddDays(1), 2), sight.Tries(1, Mail.Noon, 13)]);
    }

    [Fact]
    public void No_more_than_ten_thousand_are_remembered()
    {
        var sight = new FirstSight();
        for (var number = 0; number <= 10_000; number++)
            sight.Tries(number, Mail.Noon, 5);

        Assert.Equal((2, 1), (sight.Tries(10_000, Mail.Noon, 6), sight.Tries(0, Mail.Noon, 6)));
    }

    private AmqpMessage Delivered(uint times) => new() { Header = new() { DeliveryCount = times }, MessageAnnotations = _mail.Locked() };
}
