using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>A message's properties travel in one frame. Larger than the connection allows, it ends the connection, and all that is on its way with it.</summary>
internal static class HeaderFrame
{
    // What it holds beside them: its own marks, the client's number of the message, and a trace that the client may note.
    private const int Rest = 160;

    /// <summary>Sees to it that they fit: of a message that is sent on, what we have added is left out until they do.</summary>
    /// <exception cref="BrokerException">They don't.</exception>
    public static void Fit(BasicProperties envelope, uint mostBytes, string queue)
    {
        if (mostBytes == 0 || SizeOf(envelope) <= mostBytes)
            return;

        if (envelope.Headers is SentOnHeaders headers)
        {
            foreach (var name in headers.Additions)
            {
                headers.LeaveOut(name);
                if (SizeOf(envelope) <= mostBytes)
                    return;
            }
        }

        throw new BrokerException(
            $"The properties of a message for {Problems.Named(queue)} take {SizeOf(envelope)} bytes, and RabbitMQ takes {mostBytes} (frame_max). Put into the body what is large, or raise frame_max in the server's configuration.",
            isTransient: false);
    }

    private static int SizeOf(BasicProperties envelope) => ((IAmqpWriteable)envelope).GetRequiredBufferSize() + Rest;
}
