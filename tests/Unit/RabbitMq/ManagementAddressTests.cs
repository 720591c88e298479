using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ManagementAddressTests
{
    [Theory]
    [InlineData("http://one:15672", "http://one:15672", "guest", "guest")]
    [InlineData(" https://me:secret@one/ ", "https://one", "me", "secret")]
    [InlineData("http://a%40b:p%3Aw:x@one:15672/rabbit/", "http://one:15672/rabbit", "a@b", "p:w:x")]
    [InlineData("http://me@[::1]:15672", "http://[::1]:15672", "me", "")]
    public void An_address_is_shown_without_who_asks_there(string uri, string shown, string user, string password)
    {
        var address = ManagementAddress.Parse(uri);

        Assert.Equal((shown, user, password), (address.ToString(), address.User, address.Password));
    }

    [Fact]
    public void A_queue_s_names_are_encoded() =>
        Assert.Equal(
            "http://one:15672/rabbit/api/queues/%2F/left%2Fright%20%3F?columns=name,type,durable,auto_delete,arguments,effective_policy_definition",
            ManagementAddress.Parse("http://one:15672/rabbit").Queue("/", "left/right ?").AbsoluteUri);

    [Theory]
    [InlineData("")]
    [InlineData("one:15672")]
    [InlineData("amqp://me:secret@one")]
    [InlineData("http://me:secret@")]
    [InlineData("http://me:sec?ret@one")]
    [InlineData("http://one/?secret")]
    [InlineData("http://one/#secret")]
    public void What_is_no_address_is_told_in_a_line_that_gives_nothing_away(string uri)
    {
        var line = Assert.Throws<FormatException>(() => ManagementAddress.Parse(uri)).Message;

        Assert.Contains("set one such as http://user:password@host:15672", line);
        Assert.DoesNotContain("sec", line);
    }
}
