using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends one message's settlement, and again after trouble that passes, while the lease can be trusted. On the Lease lane.</summary>
internal static class Settling
{
    private const string TooLate = "Its broker was disposed of before that; stop a host before it is disposed of, and give each host a broker of its own.";

    /// <summary>False where the lease was lost, or may have been: the miss is counted then.</summary>
    public static async ValueTask<bool> TryAsync(QueueRun queue, Lease lease, LeaseKeeper keeper, Trail trail, Settlement settlement, MissReason? miss)
    {
        var pace = default(SettlingPace);
        var since = queue.Lanes.Clock.Now;
        while (true)
        {
            TimeSpan wait;
            string why;
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
                why = problem is ObjectDisposedException ? TooLate : ErrorText.Of(problem);
                var left = lease.Remaining(queue.Lanes.Clock.Now);
                wait = pace.Next((problem as BrokerException)?.RetryAfter, left, keeper.Random());
                var mayPass = problem is BrokerException { IsTransient: true };
                if (!mayPass || left <= wait)
                {
                    // What was refused until nobody may hold it any longer was not lost by a connection.
                    queue.MessageLog.SettlingFailed(lease.Delivery.Message.Id, why);
                    keeper.Lose(lease, mayPass && lease.IsAtLimit ? MissReason.Deadline : MissReason.Connection, from: LeaseState.Settling);
                    return false;
                }
            }

            // Where the lease is kept meanwhile this may go on for long, and whoever looks must find what it waits for.
            if (queue.Lanes.Clock.Now - since >= lease.Delivery.LockDuration / 2)
                queue.PutOff.Add(lease, why);

            await Rest.ForAsync(wait, queue.Time, lease.LossToken);

            // A stop may have come to its end meanwhile. And a machine that stood still may come here before the lease loop comes round.
            if (lease.Remaining(queue.Lanes.Clock.Now) == TimeSpan.Zero)
            {
                queue.MessageLog.SettlingFailed(lease.Delivery.Message.Id, why);
                keeper.Lose(lease, lease.ReasonOfExpiry, from: LeaseState.Settling);
                return false;
            }
        }

        if (lease.Delivery.NotDelayed is { } refusal)
            queue.MessageLog.NotDelayed(lease.Delivery.Message.Id, refusal);
        keeper.Settled(lease, miss);
        trail.Settled(queue, lease, settlement);
        return true;
    }
}
