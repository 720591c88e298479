using System.Buffers;
using RabbitMQ.Client;

namespace Holdfast.Broker.RabbitMq;

/// <summary>A message's properties travel in one frame. Larger than the connection allows, it ends the connection, and all that is on its way with it.</summary>
internal static class HeaderFrame
{
    // What it holds beside them: its own marks, the client's number of the message, and a trace that the client may note.
    private const int Rest = 160;

    /// <summary>Sees to it that they fit: of a message that is sent on, what it can do without is left out until they do.</summary>
    /// <exception cref="UnfitException">They don't.</exception>
    public static void Fit(BasicProperties envelope, uint mostBytes, string queue)
    {
        if (envelope.Headers is SentOnHeaders headers)
            FitSentOn(envelope, headers, mostBytes, queue);
        else if (!IsRoomFor(envelope, mostBytes))
            throw TooLarge(envelope, mostBytes, queue);
    }

    private static void FitSentOn(BasicProperties envelope, SentOnHeaders headers, uint mostBytes, string queue)
    {
        if (!CanBeWritten(envelope))
            LeaveOutWhatCanNotBeWritten(headers, queue);
        if (IsRoomFor(envelope, mostBytes))
            return;

        foreach (var name in headers.Dispensable(name => SizeOf(Alone(headers, name))))
        {
            if (headers.TryLeaveOut(name) && IsRoomFor(envelope, mostBytes))
                return;
        }

        if (!headers.MayBeCut)
            throw TooLarge(envelope, mostBytes, queue);
        headers.LeaveOutAll();
    }

    // What a stranger wrote the client may read and not write: bytes that are no text become longer, and names have no room for that.
    private static void LeaveOutWhatCanNotBeWritten(SentOnHeaders headers, string queue)
    {
        foreach (var name in headers.Keys.ToArray())
        {
            while (headers.ContainsKey(name) && !CanBeWritten(Alone(headers, name)))
            {
                if (!headers.TryLeaveOut(name))
                    throw new UnfitException($"A message for {Problems.Named(queue)} has a header that can be read and not written again: {ShortText.Fit(name)}.");
            }
        }
    }

    private static UnfitException TooLarge(BasicProperties envelope, uint mostBytes, string queue) => new(
        $"The properties of a message for {Problems.Named(queue)} take {SizeOf(envelope) + Rest} bytes, and RabbitMQ takes {mostBytes} (frame_max). Put into the body what is large, or raise frame_max in the server's configuration.");

    private static BasicProperties Alone(SentOnHeaders headers, string name) => new() { Headers = new Dictionary<string, object?> { [name] = headers[name] } };

    private static bool IsRoomFor(BasicProperties envelope, uint mostBytes) => mostBytes == 0 || SizeOf(envelope) + Rest <= mostBytes;

    private static int SizeOf(BasicProperties envelope) => ((IAmqpWriteable)envelope).GetRequiredBufferSize();

    // Nobody but the client knows what it can't write, and it says so in several ways.
    private static bool CanBeWritten(BasicProperties envelope)
    {
        byte[]? room = null;
        try
        {
            room = ArrayPool<byte>.Shared.Rent(SizeOf(envelope));
            ((IAmqpWriteable)envelope).WriteTo(room);
            return true;
        }
        catch (Exception)
        {
            return false;
        }
        finally
        {
            if (room is not null)
                ArrayPool<byte>.Shared.Return(room);
        }
    }
}
