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
        if (first is not null)
            await AnsweredAsync(first.CloseAsync(enough.Token)).ConfigureAwait(false);

        // Also where the time is over: it is told at once, and only the answer is waited for.
        await AnsweredAsync(session.CloseAsync(enough.Token)).ConfigureAwait(false);
    }

    private static async Task AnsweredAsync(ValueTask end)
    {
        try
        {
            await end.ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
        }
    }
}
