using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Where the broker gives us sessions: the one of that name, or whichever has messages and no holder. Any thread.</summary>
internal sealed class SessionDoor(ManagementNode node, Dialer dialer, BrokerClock clock, string? name)
{
    // For how long the broker looks for a session that is free before it says that there is none.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(60);

    /// <summary>Opens it; what kept it from being opened, or null where it is open.</summary>
    public async Task<Exception?> TryOpenAsync(SessionIntake intake, CancellationToken cancel)
    {
        try
        {
            var line = await dialer.OpenAsync(cancel).ConfigureAwait(false);
            await intake.OpenAsync(link => line.OpenReceiverAsync(node.Entity, link, s_patience, cancel), node, clock, name, s_patience).ConfigureAwait(false);
            return null;
        }
        catch (Exception problem)
        {
            return problem;
        }
    }

    /// <summary>Whether nothing is wrong but that none is to be had. That our own connection is full does not harm what is held; who holds nothing must hear of it.</summary>
    public static bool IsNoneFree(Exception? problem, int held) =>
        problem is AmqpException { Condition.Value: Conditions.Timeout }
        || (problem is AmqpException { Level: AmqpLevel.Session, IsFromPeer: false, Condition.Value: Conditions.ResourceLimit } && held > 0);
}
