namespace Holdfast.Broker.RabbitMq;

/// <summary>The headers of a message that was delivered and is sent on, to wait or to be put aside: so it is settled.</summary>
internal sealed class SentOnHeaders(IDictionary<string, object?> original) : Dictionary<string, object?>(original)
{
    // The longest first, which are missed the least; then what a handler has added, and what is known without us.
    private static readonly string[] s_first =
        [DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description];

    private static readonly string[] s_last =
        [HeaderNames.Exchange, HeaderNames.RoutingKey, DeadLetterProperties.Queue, DeadLetterProperties.Deliveries, HeaderNames.PutAsideAt];

    private readonly Dictionary<string, object?> _replaced = [];
    private string[] _told = [];

    /// <summary>What is not the message's own, in the order in which it may be left out; why it was put aside, and how often it came before, may not.</summary>
    public IEnumerable<string> Additions => s_first.Concat(_told).Concat(s_last);

    /// <summary>Adds what the settlement tells.</summary>
    public void Tell(IReadOnlyDictionary<string, object?> properties)
    {
        _told = [.. properties.Keys.Except(s_first)];
        foreach (var (name, value) in properties)
        {
            if (TryGetValue(name, out var own) && !HeaderNames.IsOfDeath(name))
                _replaced[name] = own;
            this[name] = Headers.Write(name, value);
        }
    }

    /// <summary>Does without an addition: what the message came with in its place is there again.</summary>
    public void LeaveOut(string name)
    {
        if (_replaced.TryGetValue(name, out var own))
            this[name] = own;
        else
            Remove(name);
    }
}
