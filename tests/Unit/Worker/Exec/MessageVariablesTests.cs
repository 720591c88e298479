using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class MessageVariablesTests
{
    [Fact]
    public void A_command_is_told_what_its_message_says()
    {
        var variables = Of(new Message
        {
            Id = "order-1",
            Priority = 4,
            ContentType = "text/plain",
            ContentEncoding = "gzip",
            CorrelationId = "c",
            SessionId = "s",
            Subject = "paid",
            ReplyTo = "answers",
            Properties = new Dictionary<string, object?>
            {
                ["kind"] = "new",
                ["x-retry.count"] = 3,
                ["vip"] = true,
                ["bytes"] = Encoding.UTF8.GetBytes("naïve"),
                ["traceparent"] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            },
        });

        Assert.Equal("order-1", variables["HOLDFAST_ID"]);
        Assert.Equal("orders", variables["HOLDFAST_QUEUE"]);
        Assert.Equal("1", variables["HOLDFAST_ATTEMPT"]);
        Assert.Equal("7", variables["HOLDFAST_DELIVERY_COUNT"]);
        Assert.Equal("7", variables["HOLDFAST_FENCING_TOKEN"]);
        Assert.Equal("4", variables["HOLDFAST_PRIORITY"]);
        Assert.Equal(("text/plain", "gzip"), (variables["HOLDFAST_CONTENT_TYPE"], variables["HOLDFAST_CONTENT_ENCODING"]));
        Assert.Equal("c", variables["HOLDFAST_CORRELATION_ID"]);
        Assert.Equal("s", variables["HOLDFAST_SESSION_ID"]);
        Assert.Equal(("paid", "answers"), (variables["HOLDFAST_SUBJECT"], variables["HOLDFAST_REPLY_TO"]));
        Assert.Equal("new", variables["HOLDFAST_PROPERTY_KIND"]);
        Assert.Equal("3", variables["HOLDFAST_PROPERTY_X_RETRY_COUNT"]);
        Assert.Equal("true", variables["HOLDFAST_PROPERTY_VIP"]);
        Assert.Equal("naïve", variables["HOLDFAST_PROPERTY_BYTES"]);
        Assert.Equal("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", variables["TRACEPARENT"]);
        Assert.Equal("0", variables["HOLDFAST_OMITTED"]);
    }

    [Fact]
    public void A_table_or_a_list_is_told_as_json()
    {
        var variables = Of(new Message
        {
            Id = "1",
            Properties = new Dictionary<string, object?>
            {
                ["x-death"] = new List<object?> { new Dictionary<string, object?> { ["queue"] = "orders", ["count"] = 2L, ["ratio"] = double.NaN } },
                ["empty"] = new Dictionary<string, object?>(),
            },
        });

        Assert.Equal("""[{"queue":"orders","count":2,"ratio":"NaN"}]""", variables["HOLDFAST_PROPERTY_X_DEATH"]);
        Assert.Equal("{}", variables["HOLDFAST_PROPERTY_EMPTY"]);
    }

    [Fact]
    public void What_can_not_be_told_is_left_out_and_counted()
    {
        var variables = Of(new Message
        {
            Id = new string('i', 100_000),
            Properties = new Dictionary<string, object?>
            {
                ["long"] = new string('x', 9_000),
                ["nul"] = "a\0b",
                ["deep"] = Enumerable.Range(0, 65).Aggregate((object?)null, (inner, _) => new List<object?> { inner }),
                ["same-name"] = "first",
                ["same_name"] = "second",
            },
        });

        Assert.DoesNotContain("HOLDFAST_ID", variables.Keys);
        Assert.DoesNotContain("HOLDFAST_PROPERTY_LONG", variables.Keys);
        Assert.DoesNotContain("HOLDFAST_PROPERTY_NUL", variables.Keys);
        Assert.DoesNotContain("HOLDFAST_PROPERTY_DEEP", variables.Keys);
        Assert.Equal("first", variables["HOLDFAST_PROPERTY_SAME_NAME"]);
        Assert.Equal("5", variables["HOLDFAST_OMITTED"]);
    }

    [Fact]
    public void Any_number_of_properties_is_told_up_to_a_bound()
    {
        var properties = Enumerable.Range(0, 1_000).ToDictionary(i => $"p{i}", i => (object?)new string('x', 1_000));

        var variables = Of(new Message { Id = "1", Properties = properties });

        Assert.InRange(variables.Sum(variable => variable.Key.Length + variable.Value.Length), 60_000, 70_000);
        Assert.Equal(1_000, variables.Keys.Count(name => name.StartsWith("HOLDFAST_PROPERTY_", StringComparison.Ordinal)) + int.Parse(variables["HOLDFAST_OMITTED"]));
    }

    private static IReadOnlyDictionary<string, string> Of(Message message) => MessageVariables.Of(new HeldMessage("orders", message, 7));
}
