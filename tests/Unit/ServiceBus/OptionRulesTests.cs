using Azure.Core;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class OptionRulesTests
{
    private const string Connection = "Endpoint=sb://one/;SharedAccessKeyName=me;SharedAccessKey=secret";

    public static TheoryData<string, ServiceBusBrokerOptions> Wrong => new()
    {
        { "ConnectionStrings__ServiceBus", new() { ConnectionString = "Endpoint=one;SharedAccessKeyName=me;SharedAccessKey=secret" } },
        { "Worker__ServiceBus__MaxSessions", new() { ConnectionString = Connection, MaxSessions = 0 } },
        { "Worker__ServiceBus__SessionIdleTime", new() { ConnectionString = Connection, SessionIdleTime = TimeSpan.Zero } },
        { "Worker__ServiceBus__OperationTimeout", new() { ConnectionString = Connection, OperationTimeout = TimeSpan.FromHours(1) } },
        { "Worker__ServiceBus__SessionId", new() { ConnectionString = Connection, Sessions = false, SessionId = "one" } },
    };

    [Theory]
    [MemberData(nameof(Wrong))]
    public void A_host_of_ones_own_is_told_which_option_can_not_be(string setting, ServiceBusBrokerOptions options)
    {
        var refusal = Assert.ThrowsAny<Exception>(() => new ServiceBusBroker(options));

        Assert.True(refusal is FormatException or ArgumentException);
        Assert.StartsWith($"{setting}: ", refusal.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_namespace_that_is_none_is_told_by_its_setting()
    {
        var refusal = Assert.Throws<FormatException>(() => new ServiceBusBroker(new() { FullyQualifiedNamespace = "sb://one/", Credential = DelegatedTokenCredential.Create((_, _) => default) }));

        Assert.StartsWith("ServiceBus__FullyQualifiedNamespace: ", refusal.Message, StringComparison.Ordinal);
    }
}
