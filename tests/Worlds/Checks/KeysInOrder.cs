namespace Holdfast.Tests.Worlds;

/// <summary>Within one life: never two handlers of one key at once, nor another's while one is to be tried again at once, and each key's messages in the order in which they were received.</summary>
internal sealed class KeysInOrder(WorldPlan plan) : Rule(plan)
{
    private readonly Dictionary<(int Life, int Delivery), int> _places = [];
    private readonly Dictionary<(int Life, (int Queue, int Key)), (int Place, int Message)> _last = [];
    private readonly Dictionary<(int Life, (int Queue, int Key)), int> _running = [];
    private int _received;

    protected override void See(in Event happened)
    {
        if (happened.Kind is not (EventKind.Received or EventKind.Begun or EventKind.Ended) || Plan.KeyOf(happened.Message) is not { } ordered)
            return;

        var (delivery, key) = ((happened.Life, happened.Delivery), (happened.Life, ordered));
        if (happened.Kind == EventKind.Received)
            _places[delivery] = _received++;
        else if (happened.Kind == EventKind.Ended)
            _running.Remove(key);
        else
            Begin(happened.Message, _places[delivery], key);
    }

    private void Begin(int message, int place, (int Life, (int Queue, int Key)) key)
    {
        if (!_running.TryAdd(key, message))
            Broken($"m{message} was begun while m{_running[key]}, of the same key, ran.");
        if (_last.TryGetValue(key, out var last) && last.Place > place)
            Broken($"m{message} was begun after m{last.Message}, of the same key, which was received later.");
        _last[key] = (place, message);
    }
}
