using System.Net.Sockets;

namespace Holdfast.Amqp;

/// <summary>Says what a connection waited for that was not open in time.</summary>
internal static class Lateness
{
    /// <param name="stage">What the stream waits for; null once it is there.</param>
    /// <param name="owed">What the peer owes once it is there.</param>
    /// <param name="options">Whose connection.</param>
    public static AmqpException Of(DialStage? stage, string owed, AmqpConnectionOptions options)
    {
        var within = $"within {options.OpenTimeout.TotalSeconds:0.#} s";

        // Where nobody is there who could answer, the cause is what the system would have said, had it had the time.
        return stage switch
        {
            DialStage.Name => new(AmqpLevel.Connection, null, $"No name server has told {within} where {options.Host} is.", new SocketException((int)SocketError.TryAgain)),
            DialStage.Connection => new(AmqpLevel.Connection, null, $"Nothing answers at {options.Address} {within}.", new SocketException((int)SocketError.TimedOut)),
            DialStage.Tls => Owes("its part of TLS"),
            DialStage.WebSocket => Owes("its answer to who asks for a WebSocket"),
            _ => Owes(owed),
        };

        AmqpException Owes(string part) => new(AmqpLevel.Connection, null, $"{options.Address} did not open a connection {within}: it still owes {part}.");
    }
}
