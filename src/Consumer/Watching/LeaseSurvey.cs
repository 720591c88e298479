using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Goes through all messages in hand once: counts them, and finds the most urgent. On the thread of whoever asks.</summary>
internal sealed class LeaseSurvey(TimeSpan at, int most)
{
    // The least urgent of those chosen so far is the first to be taken out again.
    private readonly PriorityQueue<Journey, LeaseUrgency> _chosen = new(Comparer<LeaseUrgency>.Create(static (one, other) => other.CompareTo(one)));

    private int _inHand;
    private int _inDanger;
    private int _lost;
    private TimeSpan? _leastTrust;

    public static LeaseSnapshot Take(IEnumerable<Journey> journeys, LaneScheduler lanes, int most)
    {
        var survey = new LeaseSurvey(lanes.Clock.Now, most);
        foreach (var journey in journeys.Where(journey => journey.Lease.State != LeaseState.Settled))
            survey.Pass(journey);
        return survey.End(lanes);
    }

    private void Pass(Journey journey)
    {
        var urgency = LeaseUrgency.Of(journey.Lease, at);
        Count(journey.Lease, urgency.Danger);
        if (_chosen.Count < most)
            _chosen.Enqueue(journey, urgency);
        else if (most > 0)
            _chosen.EnqueueDequeue(journey, urgency);
    }

    private void Count(Lease lease, LeaseDanger danger)
    {
        _inHand++;
        if (danger != LeaseDanger.None)
            _inDanger++;
        if (danger == LeaseDanger.Lost)
            _lost++;
        else if (!(lease.Remaining(at) >= _leastTrust))
            _leastTrust = lease.Remaining(at);
    }

    private LeaseSnapshot End(LaneScheduler lanes)
    {
        var leases = new HeldLease[_chosen.Count];
        if (leases.Length > 0)
        {
            var activity = lanes.Activity();
            for (var i = leases.Length - 1; i >= 0; i--)
                leases[i] = _chosen.Dequeue().Look(at, activity);
        }

        return new() { At = at, InHand = _inHand, InDanger = _inDanger, Lost = _lost, LeastTrust = _leastTrust, Leases = leases };
    }
}
