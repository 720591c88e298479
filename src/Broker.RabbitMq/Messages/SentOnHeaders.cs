namespace Holdfast.Broker.RabbitMq;

/// <summary>The headers of a message that is sent on, and which of them it can do without where they can't all be written.</summary>
/// <param name="original">What it came with.</param>
/// <param name="mayBeCut">Whether even of that something may be missing, and is named then: where a person will look at it, and not a handler.</param>
internal sealed class SentOnHeaders(IDictionary<string, object?> original, bool mayBeCut) : Dictionary<string, object?>(original)
{
    private const string All = "all";
    private const int MostTold = 200;

    // After so many of the largest it is no matter of size: each look at what is left takes its time, and a header may be of a few bytes.
    private const int MostOfItsOwn = 100;

    // The longest first, which are missed the least; then what a handler has added, and what is known without us.
    private static readonly string[] s_first =
        [DeadLetterProperties.Failures, DeadLetterProperties.Stack, DeadLetterProperties.ExceptionMessage, DeadLetterProperties.Description];

    private static readonly string[] s_last =
        [HeaderNames.Exchange, HeaderNames.RoutingKey, DeadLetterProperties.Queue, DeadLetterProperties.PutAsideAt];

    private static readonly string[] s_kept =
        [DeadLetterProperties.Reason, DeadLetterProperties.Deliveries, HeaderNames.EarlierDeliveries, HeaderNames.LeftOut];

    private readonly Dictionary<string, object?> _replaced = [];
    private readonly List<string> _told = [];
    private string _leftOut = ShortText.Fit(Headers.Text(original, HeaderNames.LeftOut)) ?? "";

    public bool MayBeCut { get; } = mayBeCut;

    // What is not the message's own.
    private IEnumerable<string> Additions => s_first.Concat(_told).Concat(s_last).Except(s_kept);

    /// <summary>Adds what the settlement tells, but for what AMQP has no place for: to fail for that would be to fail each time that it is tried.</summary>
    public void Tell(IReadOnlyDictionary<string, object?> properties)
    {
        foreach (var (name, value) in properties)
        {
            if (!Headers.TryWrite(name, value, out var written))
                continue;
            if (TryGetValue(name, out var own) && !HeaderNames.IsOfDeath(name))
                _replaced[name] = own;
            this[name] = written;
            _told.Add(name);
        }
    }

    /// <summary>What may be left out, in that order: why it was put aside, and how often it came before, may not.</summary>
    public IEnumerable<string> Dispensable(Func<string, int> sizeOf)
    {
        if (MayBeCut)
        {
            foreach (var name in Keys.Where(HeaderNames.IsServersNoteOfDeath).ToArray())
                yield return name;
        }

        foreach (var name in Additions.ToArray())
            yield return name;

        if (MayBeCut)
        {
            foreach (var name in Keys.Except(s_kept).OrderByDescending(sizeOf).Take(MostOfItsOwn).ToArray())
                yield return name;
        }
    }

    /// <summary>Does without a header: what the message came with in an addition's place is there again. False where it is the message's own, and may not be missing.</summary>
    public bool TryLeaveOut(string name)
    {
        if (_replaced.Remove(name, out var own))
        {
            _told.Remove(name);
            this[name] = own;
            return true;
        }

        if (!Additions.Contains(name))
        {
            if (!MayBeCut)
                return false;
            Note(name);
        }

        Remove(name);
        return true;
    }

    /// <summary>Does without all that may be missing.</summary>
    public void LeaveOutAll()
    {
        foreach (var name in Keys.Except(s_kept).ToArray())
            Remove(name);
        this[HeaderNames.LeftOut] = All;
    }

    // They may be very many.
    private void Note(string name)
    {
        if (_leftOut.Length < MostTold)
            _leftOut += $"{(_leftOut.Length == 0 ? "" : ", ")}{ShortText.Fit(name)}";
        else if (!_leftOut.EndsWith("...", StringComparison.Ordinal))
            _leftOut += ", ...";
        this[HeaderNames.LeftOut] = _leftOut;
    }
}
