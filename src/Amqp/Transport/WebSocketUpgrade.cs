using System.Net.WebSockets;
using System.Security.Cryptography;
using System.Text;

namespace Holdfast.Amqp;

/// <summary>Asks an HTTP server to turn the connection into a WebSocket (RFC 6455). Blocks, on the reader thread.</summary>
internal static class WebSocketUpgrade
{
    private const string KeySuffix = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
    private const int MostHeaderBytes = 16 * 1024;

    /// <exception cref="WebSocketException">Who answered speaks HTTP, and refused it.</exception>
    public static WebSocketStream Ask(Stream stream, AmqpConnectionOptions options, AmqpWebSocket webSocket, Action onControl)
    {
        var key = Convert.ToBase64String(RandomNumberGenerator.GetBytes(16));
        stream.Write(Encoding.ASCII.GetBytes(Request(options, webSocket, key)));
        stream.Flush();
        Check(ReadHeaders(stream), key, webSocket.Subprotocol);
        return new WebSocketStream(stream, onControl);
    }

    /// <summary>What the server must make of our key.</summary>
    public static string Accept(string key)
    {
#pragma warning disable CA5350 // The protocol wants SHA-1, and trusts nothing to it.
        return Convert.ToBase64String(SHA1.HashData(Encoding.ASCII.GetBytes(key + KeySuffix)));
#pragma warning restore CA5350
    }

    private static string Request(AmqpConnectionOptions options, AmqpWebSocket webSocket, string key) =>
        $"GET {webSocket.Path} HTTP/1.1\r\nHost: {Authority(options)}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
        $"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: {webSocket.Subprotocol}\r\n\r\n";

    private static string Authority(AmqpConnectionOptions options)
    {
        var host = options.Host.Contains(':') ? $"[{options.Host}]" : options.Host;
        return options.Port == (options.Tls is null ? 80 : 443) ? host : $"{host}:{options.Port}";
    }

    // Byte by byte, for what follows the headers is for another to read.
    private static string[] ReadHeaders(Stream stream)
    {
        var text = new StringBuilder();
        while (true)
        {
            if (stream.ReadByte() is not (>= 0 and var next))
                throw new IOException("The server ended the connection instead of answering to the WebSocket upgrade.");
            text.Append((char)next);
            if (next == '\n' && text.Length >= 4 && text.ToString(text.Length - 4, 4) == "\r\n\r\n")
                return text.ToString().Split("\r\n", StringSplitOptions.RemoveEmptyEntries);
            if (text.Length > MostHeaderBytes)
                throw new IOException("The server's answer to the WebSocket upgrade has no end.");
        }
    }

    private static void Check(string[] headers, string key, string subprotocol)
    {
        var status = headers is [var first, ..] ? first : "an empty answer";
        if (status.Split(' ') is not [_, "101", ..])
            throw new WebSocketException(WebSocketError.NotAWebSocket, $"The server, or a proxy on the way there, refused the WebSocket upgrade: {status}.");
        if (!string.Equals(Value(headers, "Upgrade"), "websocket", StringComparison.OrdinalIgnoreCase) || Value(headers, "Sec-WebSocket-Accept") != Accept(key))
            throw new IOException("The server's answer to the WebSocket upgrade is none of a WebSocket server.");
        if (Value(headers, "Sec-WebSocket-Protocol") is var chosen && chosen != subprotocol)
            throw new IOException($"The server takes no WebSocket with the subprotocol {subprotocol}{(chosen is null ? "" : $", it says {chosen}")}.");
        if (Value(headers, "Sec-WebSocket-Extensions") is not null)
            throw new IOException("The server uses a WebSocket extension that was not asked for.");
    }

    private static string? Value(string[] headers, string name) => headers
        .Where(header => header.StartsWith(name + ":", StringComparison.OrdinalIgnoreCase))
        .Select(header => header[(name.Length + 1)..].Trim())
        .FirstOrDefault();
}
