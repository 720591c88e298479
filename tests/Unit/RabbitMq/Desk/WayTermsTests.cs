using System.Text.Json;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class WayTermsTests
{
    [Theory]
    [InlineData("""{"name":"orders.wait.5000","type":"quorum","arguments":{"x-overflow":"reject-publish"},"effective_policy_definition":{"overflow":"drop-head"}}""", "What 'orders.wait.5000' hands on may be lost, for a policy sets its overflow to drop-head; set a policy of higher priority with overflow reject-publish for 'orders.wait.*' and 'orders.replay*'.")]
    [InlineData("""{"name":"orders.replay.track.1","type":"classic","effective_policy_definition":{"expires":1800000}}""", "The server deletes 'orders.replay.track.1', with all that waits in it, after 00:30:00 (expires), for nobody ever consumes it; set a policy of higher priority without expires for 'orders.wait.*' and 'orders.replay*'.")]
    [InlineData("""{"name":"orders.wait.5000","type":"classic","arguments":{"x-message-ttl":5000},"effective_policy_definition":{"message-ttl":1500}}""", "What waits in 'orders.wait.5000' comes after 00:00:01.5000000 already, for a policy sets message-ttl; set a policy of higher priority without message-ttl for 'orders.wait.*'.", QueueType.Classic)]
    [InlineData("""{"name":"orders.wait.5000","type":"classic"}""", "'orders.wait.5000' is a classic queue, and stands in the way of the quorum queue of that name: nothing can be delayed for that long. Delete it once it is empty.")]
    public void What_goes_wrong_on_its_way_is_told_with_the_cure(string way, string text, QueueType type = QueueType.Quorum)
    {
        var finding = Assert.Single(Findings(way, type));

        Assert.Equal((Severity.Warning, text), (finding.Severity, finding.Text));
    }

    [Theory]
    [InlineData("""{"name":"orders.wait.5000","type":"quorum","arguments":{"x-overflow":"reject-publish"}}""")]
    [InlineData("""{"name":"orders.replay","type":"classic"}""")]
    [InlineData("""{"name":"orders.wait.list","type":"classic"}""")]
    [InlineData("""{"name":"orders.wait.5000","type":"quorum","arguments":{"x-overflow":"reject-publish","x-message-ttl":5000},"effective_policy_definition":{"message-ttl":60000}}""")]
    public void What_is_as_we_declare_it_is_nothing_to_tell_of(string way) => Assert.Empty(Findings(way));

    [Fact]
    public void Beside_a_classic_queue_earlier_versions_left_classic_ones_that_are_in_nobody_s_way() =>
        Assert.Empty(Findings("""{"name":"orders.wait.5000","type":"classic"}""", QueueType.Classic));

    private static IEnumerable<Finding> Findings(string way, QueueType type = QueueType.Quorum) =>
        WayTerms.Findings(QueueReport.Parse(JsonDocument.Parse(way).RootElement, serverTime: null), "orders", type);
}
