using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class OptionRulesTests
{
    private const string Uri = "amqp://me:secret@one";

    private static readonly TimeSpan s_half = TimeSpan.FromMilliseconds(1500);

    public static TheoryData<string, RabbitMqBrokerOptions> Wrong => new()
    {
        { "ConnectionStrings__RabbitMq", new() { Uri = "http://me:secret@one" } },
        { "Worker__RabbitMq__ManagementUri", new() { Uri = Uri, ManagementUri = "me:secret@one:15672" } },
        { "Worker__RabbitMq__Heartbeat", new() { Uri = Uri, Heartbeat = TimeSpan.Zero } },
        { "Worker__RabbitMq__Heartbeat", new() { Uri = Uri, Heartbeat = s_half } },
        { "Worker__RabbitMq__ConsumerTimeout", new() { Uri = Uri, ConsumerTimeout = TimeSpan.Zero } },
        { "Worker__RabbitMq__ConsumerTimeout", new() { Uri = Uri, ConsumerTimeout = TimeSpan.FromDays(25) } },
        { "Worker__RabbitMq__DelayedRetry", new() { Uri = Uri, QueueType = QueueType.Classic, DelayedRetry = DelayedRetry.Native } },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void A_host_of_ones_own_is_told_which_option_can_not_be_and_what_could(string setting, RabbitMqBrokerOptions options)
    {
        var refusal = Assert.ThrowsAny<Exception>(() => new RabbitMqBroker(options));

        Assert.True(refusal is FormatException or ArgumentException);
        Assert.StartsWith($"{setting}: ", refusal.Message, StringComparison.Ordinal);
        Assert.Contains("; set ", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refusal.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(1, 1)]
    [InlineData(600, 24 * 24 * 3600)]
    public async Task The_shortest_and_the_longest_that_are_told_are_allowed(int heartbeat, int timeout) =>
        await new RabbitMqBroker(new() { Uri = Uri, Heartbeat = TimeSpan.FromSeconds(heartbeat), ConsumerTimeout = TimeSpan.FromSeconds(timeout) }).DisposeAsync();
}
