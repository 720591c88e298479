using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>How a session of the connection is left.</summary>
internal static class Farewell
{
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(2);

    /// <summary>Ends the session. A broker that does not answer is left to find out.</summary>
    /// <param name="session">The session.</param>
    /// <param name="time">What the answer is waited for by.</param>
    /// <param name="first">A link whose own end counts with the broker, and comes before the session's.</param>
    public static async Task LeaveAsync(this AmqpSession session, TimeProvider time, AmqpReceiver? first = null)
    {
        using var enough = new CancellationTokenSource(s_longest, time);
        try
        {
            if (first is not null)
                await first.CloseAsync(enough.Token).ConfigureAwait(false);
            await session.CloseAsync(enough.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
        }
    }
}
