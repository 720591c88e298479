using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The order of the lanes, in the plainest words: a list of all that waits, looked through for the best.</summary>
internal sealed class LaneModel(TurnOrder turns)
{
    private readonly List<(int Id, Lane Lane, int Strand)> _waiting = [];
    private readonly List<(byte Priority, bool HasStarted, int Order)> _strands = [];
    private int _order;

    public void AddStrand(byte priority) => _strands.Add((priority, false, _order++));

    public void Post(int id, Lane lane) => _waiting.Add((id, lane, 0));

    public void Post(int id, int strand) => _waiting.Add((id, Lane.Process, strand));

    public bool TryTake(out int id)
    {
        id = -1;
        if (_waiting.Count == 0)
            return false;

        // First in, first out among equals: MinBy takes the first of them.
        var best = _waiting.MinBy(item => (item.Lane, item.Lane == Lane.Process ? Place(item.Strand) : default));
        _waiting.Remove(best);
        if (best.Lane == Lane.Process)
            Serve(best.Strand);
        id = best.Id;
        return true;
    }

    private (int Priority, bool IsWaiting, int Order) Place(int strand) =>
        (-_strands[strand].Priority, turns == TurnOrder.StartedFirst && !_strands[strand].HasStarted, _strands[strand].Order);

    private void Serve(int strand)
    {
        if (turns == TurnOrder.RoundRobin || !_strands[strand].HasStarted)
            _strands[strand] = (_strands[strand].Priority, true, _order++);
    }
}
