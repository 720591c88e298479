using Holdfast.Consumer;
using Holdfast.Worker.Messages;

namespace Holdfast.Worker.Exec;

/// <summary>What a command is told of its message in environment variables. Bounded: what is too long, or can't be one, is left out and counted in HOLDFAST_OMITTED.</summary>
internal sealed class MessageVariables
{
    // A system lets a program start with a megabyte or two at most, and strangers write properties.
    private const int Longest = 8_192;
    private const int LongestTogether = 65_536;

    private readonly Dictionary<string, string> _variables = [];
    private int _length;
    private int _omitted;

    private MessageVariables()
    {
    }

    public static IReadOnlyDictionary<string, string> Of(HeldMessage held)
    {
        var (variables, message) = (new MessageVariables(), held.Message);
        variables.Add("ID", held.Id);
        variables.Add("QUEUE", held.Queue);
        variables.Add("ATTEMPT", $"{held.Attempt}");
        variables.Add("DELIVERY_COUNT", $"{held.DeliveryCount}");
        variables.Add("FENCING_TOKEN", $"{held.FencingToken}");
        variables.Add("ENQUEUED_AT", held.EnqueuedAt.ToString("O"));
        variables.Add("LEASE_REMAINING", held.LeaseRemaining.TotalSeconds.ToString("0.###"));
        variables.Add("PRIORITY", $"{message.Priority}");
        variables.Add("CONTENT_TYPE", message.ContentType);
        variables.Add("CONTENT_ENCODING", message.ContentEncoding);
        variables.Add("CORRELATION_ID", message.CorrelationId);
        variables.Add("SESSION_ID", message.SessionId);
        variables.Add("SUBJECT", message.Subject);
        variables.Add("REPLY_TO", message.ReplyTo);
        foreach (var (name, value) in message.Properties)
            variables.AddProperty(name, value);
        return variables.End(TraceParent.Of(held.Trace), held.Trace.TraceState);
    }

    private Dictionary<string, string> End(string? traceParent, string? traceState)
    {
        _variables["HOLDFAST_OMITTED"] = $"{_omitted}";
        if (traceParent is not null)
            _variables["TRACEPARENT"] = traceParent;
        if (traceState is not null)
            _variables["TRACESTATE"] = traceState;
        return _variables;
    }

    // Of two properties whose names differ only in what no variable's name can hold, the first stays.
    private void Add(string name, string? value)
    {
        if (value is null)
            return;

        var length = name.Length + value.Length;
        if (length > Longest || _length + length > LongestTogether || value.Contains('\0') || !_variables.TryAdd($"HOLDFAST_{name}", value))
            _omitted++;
        else
            _length += length;
    }

    private void AddProperty(string name, object? value)
    {
        try
        {
            Add($"PROPERTY_{Clean(name)}", PropertyText.Of(value));
        }
        catch (UnreadableMessageException)
        {
            _omitted++;
        }
    }

    private static string Clean(string name) =>
        string.Create(name.Length, name, static (clean, name) =>
        {
            for (var i = 0; i < name.Length; i++)
                clean[i] = char.IsAsciiLetterOrDigit(name[i]) ? char.ToUpperInvariant(name[i]) : '_';
        });
}
