using System.Text;
using Holdfast.Amqp;
using WebSocketException = System.Net.WebSockets.WebSocketException;

namespace Holdfast.Tests.Unit.Amqp.Transport;

public sealed class WebSocketUpgradeTests
{
    private static readonly AmqpWebSocket s_webSocket = new() { Path = "/$servicebus/websocket", Subprotocol = "AMQPWSB10" };

    // From the protocol's own example.
    [Fact]
    public void The_accept_key_is_the_protocols() =>
        Assert.Equal("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", WebSocketUpgrade.Accept("dGhlIHNhbXBsZSBub25jZQ=="));

    [Fact]
    public void It_asks_for_what_the_options_say()
    {
        var server = new HttpServer(_ => "HTTP/1.1 500 No\r\n\r\n");
        Assert.Throws<WebSocketException>(() => Ask(server));
        Assert.StartsWith("GET /$servicebus/websocket HTTP/1.1\r\nHost: broker:8080\r\n", server.Request);
        Assert.Contains("\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n", server.Request);
        Assert.EndsWith("\r\n\r\n", server.Request);
    }

    [Fact]
    public void What_follows_the_answer_is_the_first_frame()
    {
        var server = new HttpServer(key => $"HTTP/1.1 101 Switching Protocols\r\nupgrade: WebSocket\r\nSec-WebSocket-Accept: {key}\r\nsec-websocket-protocol: AMQPWSB10\r\n\r\n\u0082\u0001A");
        Assert.Equal('A', Ask(server).ReadByte());
    }

    [Theory]
    [InlineData("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "HTTP/1.1 407 Proxy Authentication Required")]
    [InlineData("\r\n\r\n", "an empty answer")]
    public void Who_refuses_it_may_be_a_proxy(string answer, string status) => Assert.Equal(
        $"The server, or a proxy on the way there, refused the WebSocket upgrade: {status}.",
        Assert.Throws<WebSocketException>(() => Ask(new HttpServer(_ => answer))).Message);

    [Theory]
    [InlineData("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: wrong\r\nSec-WebSocket-Protocol: AMQPWSB10\r\n\r\n", "none of a WebSocket server")]
    [InlineData("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: KEY\r\n\r\n", "no WebSocket with the subprotocol AMQPWSB10")]
    [InlineData("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Protocol: amqp\r\n\r\n", "it says amqp")]
    [InlineData("HTTP/1.1 101 Yes\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: KEY\r\nSec-WebSocket-Protocol: AMQPWSB10\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n", "extension")]
    [InlineData("HTTP/1.1 101 Yes\r\nUpgr", "ended the connection")]
    public void An_answer_that_is_no_upgrade_says_what_it_is(string answer, string why)
    {
        var server = new HttpServer(key => answer.Replace("KEY", key, StringComparison.Ordinal));
        Assert.Contains(why, Assert.Throws<IOException>(() => Ask(server)).Message);
    }

    [Fact]
    public void An_answer_without_end_is_cut_short() =>
        Assert.Contains("no end", Assert.Throws<IOException>(() => Ask(new HttpServer(_ => "HTTP/1.1 101 Yes\r\n" + new string('x', 100_000)))).Message);

    private static WebSocketStream Ask(Stream server) =>
        WebSocketUpgrade.Ask(server, new AmqpConnectionOptions { Host = "broker", Port = 8080 }, s_webSocket, () => { });

    /// <summary>Answers to the first request, whose key is known only once it has come.</summary>
    private sealed class HttpServer(Func<string, string> answer) : DuplexStream
    {
        private MemoryStream? _answer;

        public string Request { get; private set; } = "";

        public override int Read(Span<byte> buffer)
        {
            _answer ??= new MemoryStream(Encoding.Latin1.GetBytes(answer(WebSocketUpgrade.Accept(Key()))));
            return _answer.Read(buffer);
        }

        public override void Write(ReadOnlySpan<byte> buffer) => Request += Encoding.ASCII.GetString(buffer);

        private string Key() => Request.Split("\r\n").Single(line => line.StartsWith("Sec-WebSocket-Key: ", StringComparison.Ordinal))["Sec-WebSocket-Key: ".Length..];
    }
}
