using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Scheduling;

/// <summary>The order of the lanes, in the plainest words: a list of all that waits, looked through for the best.</summary>
internal sealed class LaneModel
{
    private readonly List<(int Id, Lane Lane, int Strand)> _waiting = [];
    private readonly List<(byte Priority, int? StartedAs)> _strands = [];
    private int _started;

    public void AddStrand(byte priority) => _strands.Add((priority, null));

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
            Start(best.Strand);
        id = best.Id;
        return true;
    }

    private (int Priority, bool IsWaiting, int Order) Place(int strand) =>
        (-_strands[strand].Priority, _strands[strand].StartedAs is null, _strands[strand].StartedAs ?? strand);

    private void Start(int strand)
    {
        if (_strands[strand].StartedAs is null)
            _strands[strand] = (_strands[strand].Priority, _started++);
    }
}
