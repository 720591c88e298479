using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class ConnectionTextTests
{
    private const string Key = "SharedAccessKeyName=me;SharedAccessKey=c2VjcmV0LWtleQ==";

    [Theory]
    [InlineData("Endpoint=sb://name.servicebus.windows.net/;" + Key, "name.servicebus.windows.net", 5671, true)]
    [InlineData(" endpoint = sb://name.servicebus.windows.net ; " + Key + " ; ", "name.servicebus.windows.net", 5671, true)]
    [InlineData("Endpoint=sb://localhost;" + Key + ";UseDevelopmentEmulator=true;", "localhost", 5672, false)]
    [InlineData("Endpoint=sb://localhost:7777;" + Key + ";UseDevelopmentEmulator=true", "localhost", 7777, false)]
    [InlineData("Endpoint=sb://name.servicebus.windows.net:7777/;" + Key + ";UseDevelopmentEmulator=false", "name.servicebus.windows.net", 7777, true)]
    public void It_tells_where_the_namespace_is(string text, string host, int port, bool isTls)
    {
        var address = ConnectionText.Parse(text).Address;

        Assert.Equal((host, port, isTls), (address.Host, address.Port(ServiceBusTransport.Tcp), address.IsTls));
    }

    [Theory]
    [InlineData("Endpoint=sb://one/;" + Key, 443)]
    [InlineData("Endpoint=sb://one:8443/;" + Key, 8443)]
    public void Over_WebSockets_the_port_is_that_of_https_unless_one_is_set(string text, int port) =>
        Assert.Equal(port, ConnectionText.Parse(text).Address.Port(ServiceBusTransport.WebSockets));

    [Fact]
    public void A_key_may_end_with_equals_signs()
    {
        var key = ConnectionText.Parse("Endpoint=sb://one/;" + Key).Key!;

        Assert.Equal("me", key.Name);
        Assert.Equal(new SharedAccessKey("me", "c2VjcmV0LWtleQ==").Sign("sb://one/orders", DateTimeOffset.UnixEpoch), key.Sign("sb://one/orders", DateTimeOffset.UnixEpoch));
    }

    [Fact]
    public void The_entity_that_it_is_for_and_a_token_of_somebody_elses_are_kept()
    {
        var settings = ConnectionText.Parse("Endpoint=sb://one/;SharedAccessSignature=SharedAccessSignature sr=a&sig=b%3d&se=1&skn=c;EntityPath=/orders/");

        Assert.Equal("orders", settings.EntityPath);
        Assert.Equal("SharedAccessSignature sr=a&sig=b%3d&se=1&skn=c", settings.Signature!.Value);
        Assert.Equal(DateTimeOffset.FromUnixTimeSeconds(1), settings.Signature.Expires);
        Assert.Null(settings.Key);
    }

    [Theory]
    [InlineData("", "It is empty")]
    [InlineData(" ", "It is empty")]
    [InlineData("secret", "a part without a name")]
    [InlineData("=secret;" + Key, "a part without a name")]
    [InlineData(Key, "It has no Endpoint")]
    [InlineData("Endpoint=;" + Key, "Endpoint is empty")]
    [InlineData("Endpoint=secret;" + Key, "Its Endpoint is not such as sb://")]
    [InlineData("Endpoint=https://secret/;" + Key, "Its Endpoint is not such as sb://")]
    [InlineData("Endpoint=sb:///;" + Key, "Its Endpoint is not such as sb://")]
    [InlineData("Endpoint=sb://one/secret;" + Key, "more than a host and a port")]
    [InlineData("Endpoint=sb://secret@one/;" + Key, "more than a host and a port")]
    [InlineData("Endpoint=sb://one/?secret;" + Key, "more than a host and a port")]
    [InlineData("Endpoint=sb://one/;Endpoint=sb://secret/;" + Key, "It has Endpoint twice")]
    [InlineData("Endpoint=sb://one/", "It does not say who we are")]
    [InlineData("Endpoint=sb://one/;SharedAccessKey=secret", "no SharedAccessKeyName")]
    [InlineData("Endpoint=sb://one/;SharedAccessKeyName=secret", "no SharedAccessKey")]
    [InlineData("Endpoint=sb://one/;SharedAccessKeyName=me;SharedAccessKey=", "SharedAccessKey is empty")]
    [InlineData("Endpoint=sb://one/;SharedAccessKeyName=me;SharedAccessKey=x;y;c2VjcmV0=", "a part without a name")]
    [InlineData("Endpoint=sb://one/;SharedAccessSignature=secret", "Its SharedAccessSignature is not such as")]
    [InlineData("Endpoint=sb://one/;SharedAccessSignature=SharedAccessSignature sr=a&sig=secret&skn=b", "does not tell when it expires")]
    [InlineData("Endpoint=sb://one/;SharedAccessSignature=SharedAccessSignature sr=a&sig=secret&se=soon&skn=b", "does not tell when it expires")]
    [InlineData("Endpoint=sb://one/;SharedAccessSignature=SharedAccessSignature sr=a&sig=secret&se=9999999999999999&skn=b", "does not tell when it expires")]
    [InlineData("Endpoint=sb://one/;SharedAccessSignature=SharedAccessSignature secret;" + Key, "both a SharedAccessKey and a SharedAccessSignature")]
    [InlineData("Endpoint=sb://one/;UseDevelopmentEmulator=secret;" + Key, "neither true nor false")]
    [InlineData("Endpoint=sb://one/;TransportType=AmqpWebSockets;" + Key, "Worker__ServiceBus__Transport=WebSockets")]
    [InlineData("Endpoint=sb://one/;OperationTimeout=1;" + Key, "Worker__ServiceBus__OperationTimeout")]
    [InlineData("Endpoint=sb://one/;c2VjcmV0=1;" + Key, "none of Endpoint")]
    public void What_is_wrong_is_said_in_one_line_that_shows_no_part_of_it(string text, string problem)
    {
        var wrong = Assert.Throws<FormatException>(() => ConnectionText.Parse(text)).Message;

        Assert.Contains(problem, wrong, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", wrong, StringComparison.OrdinalIgnoreCase);
        Assert.DoesNotContain("c2Vj", wrong, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', wrong);
    }

    [Theory]
    [InlineData("name.servicebus.windows.net", "name.servicebus.windows.net")]
    [InlineData(" name.servicebus.windows.net:7777 ", "name.servicebus.windows.net:7777")]
    public void A_namespace_may_be_a_host_alone(string text, string shown) => Assert.Equal(shown, NamespaceAddress.OfHost(text).ToString());

    [Theory]
    [InlineData("")]
    [InlineData("sb://secret")]
    [InlineData("secret/path")]
    [InlineData("secret:0")]
    [InlineData("secret:x")]
    [InlineData("secret one")]
    public void But_no_more_than_that(string text) =>
        Assert.DoesNotContain("secret", Assert.Throws<FormatException>(() => NamespaceAddress.OfHost(text)).Message, StringComparison.Ordinal);
}
