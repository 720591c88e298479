using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends one message's settlement, and again after trouble that passes, while the lease can be trusted. On the Lease lane.</summary>
internal static class Settling
{
    private static readonly TimeSpan s_again = TimeSpan.FromMilliseconds(200);

    /// <summary>False where the lease was lost, or may have been: the miss is counted then.</summary>
    public static async ValueTask<bool> TryAsync(QueueRun queue, Lease lease, LeaseKeeper keeper, Trail trail, Settlement settlement, MissReason? miss)
    {
        while (true)
        {
            var sending = trail.Sends(queue, lease, settlement);
            try
            {
                // Called off when trust ends: an answer that never comes must not keep the slot for ever.
                var isSettled = await queue.Receiver.SettleAsync(lease.Delivery, settlement, lease.LossToken);
                sending.Answered();
                if (!isSettled)
                {
                    keeper.Lose(lease, lease.ReasonOfFate ?? MissReason.Rejected, from: LeaseState.Settling);
                    return false;
                }

                break;
            }
            catch (Exception problem)
            {
                sending.Failed(problem);

                // Called off because its lease was lost: that is told by then.
                if (lease.State == LeaseState.Lost)
                    return false;
                if (problem is not BrokerException { IsTransient: true } || lease.Remaining(queue.Lanes.Clock.Now) <= s_again)
                {
                    queue.MessageLog.SettlingFailed(lease.Delivery.Message.Id, ErrorText.Of(problem));
                    keeper.Lose(lease, MissReason.Connection, from: LeaseState.Settling);
                    return false;
                }
            }

            await Task.Delay(s_again, queue.Time);

            // A machine that stood still meanwhile may come here before the lease loop comes round.
            if (lease.Remaining(queue.Lanes.Clock.Now) == TimeSpan.Zero)
            {
                keeper.Lose(lease, lease.ReasonOfExpiry, from: LeaseState.Settling);
                return false;
            }
        }

        keeper.Settled(lease, miss);
        trail.Settled(queue, lease, settlement);
        return true;
    }
}
