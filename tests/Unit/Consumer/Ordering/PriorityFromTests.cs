using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class PriorityFromTests : ILogger
{
    private const byte Brokers = 3;

    private readonly List<string> _logged = [];

    [Fact]
    public void A_property_puts_its_message_before_others_on_the_lane()
    {
        List<string> runs = [];
        using var hand = new EngineByHand(
            (message, _) =>
            {
                runs.Add(message.Id);
                return new(Settlement.Complete);
            },
            options => options.PriorityFrom = "urgency");

        hand.Send(Of(1, "low"));
        hand.Send(Of(9, "high"));
        hand.Send(new Message { Id = "broker's", Priority = 5 });
        hand.Start();

        Assert.Equal(["high", "broker's", "low"], runs);
    }

    [Theory]
    [InlineData(0, 0)]
    [InlineData(255, 255)]
    [InlineData(7L, 7)]
    [InlineData(7d, 7)]
    [InlineData("7", 7)]
    public void A_number_of_any_type_counts(object value, byte priority)
    {
        Assert.Equal(priority, new MessagePriority("urgency", "orders", this).Of(Of(value)));
        Assert.Empty(_logged);
    }

    [Fact]
    public void Text_that_came_as_bytes_counts() =>
        Assert.Equal(7, new MessagePriority("urgency", "orders", this).Of(Of(Encoding.UTF8.GetBytes("7"))));

    [Theory]
    [InlineData(256)]
    [InlineData(-1)]
    [InlineData(1.5)]
    [InlineData("high")]
    [InlineData("")]
    [InlineData(true)]
    public void What_is_no_priority_leaves_it_to_the_broker_and_is_told_once(object value)
    {
        var priorities = new MessagePriority("urgency", "orders", this);

        Assert.Equal(Brokers, priorities.Of(Of(value)));
        Assert.Equal(Brokers, priorities.Of(Of("another")));

        Assert.StartsWith($"'{value}' in property urgency of a message of orders is no priority", Assert.Single(_logged));
    }

    [Fact]
    public void What_a_stranger_wrote_there_is_not_told_at_its_length()
    {
        new MessagePriority("urgency", "orders", this).Of(Of(new string('x', 10_000)));

        Assert.StartsWith($"'{new string('x', 40)}...' in property urgency", Assert.Single(_logged));
    }

    [Theory]
    [InlineData("other")]
    [InlineData(null)]
    [InlineData("")]
    public void Without_the_property_it_is_the_brokers(string? property)
    {
        Assert.Equal(Brokers, new MessagePriority(property, "orders", this).Of(Of(9)));
        Assert.Empty(_logged);
    }

    void ILogger.Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter) =>
        _logged.Add(formatter(state, exception));

    bool ILogger.IsEnabled(LogLevel logLevel) => true;

    IDisposable? ILogger.BeginScope<TState>(TState state) => NullLogger.Instance.BeginScope(state);

    private static Message Of(object? value, string id = "1") =>
        new() { Id = id, Priority = Brokers, Properties = new Dictionary<string, object?> { ["urgency"] = value } };
}
