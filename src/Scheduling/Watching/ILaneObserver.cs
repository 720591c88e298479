namespace Holdfast.Scheduling;

/// <summary>Is told how long work waited and held its thread. Where they come by the thousand a second, he is told of one wait or turn in several, which counts for as many.</summary>
public interface ILaneObserver
{
    /// <summary>Whether he must hear of each, because he can't count one for several. Looked at now and then.</summary>
    bool WantsEach => false;

    /// <summary>An item began its turn after waiting in its lane. On the thread that runs it.</summary>
    void Waited(Lane lane, TimeSpan wait, int weight);

    /// <summary>An item ended its turn. On the thread that ran it.</summary>
    void Ran(Lane lane, TimeSpan turn, int weight);

    /// <summary>A turn has held its thread for longer than allowed; told once. On the watch's thread.</summary>
    void FoundLong(TurnReport turn);

    /// <summary>A turn waits without burning CPU, and <paramref name="standIn"/> says whether a spare thread stands in for its own. On the watch's thread.</summary>
    void FoundBlocked(TurnReport turn, StandIn standIn);

    /// <summary>So many turns are blocked that nothing new is begun (<see cref="LaneScheduler.AreThreadsScarce"/>), and <paramref name="bound"/> says why there are no more threads. Told once a minute at most. On the watch's thread.</summary>
    void FoundScarce(int blocked, StandIn bound);

    /// <summary>No thread of the process ran for a while, so no turn is to blame for how long it took. On the watch's thread.</summary>
    void FoundStandstill(Standstill standstill);
}
