using System.Diagnostics;
using System.Text;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>The W3C trace context that a message carries. Whatever a stranger wrote there is checked and bounded; what is not right counts as not there.</summary>
internal static class TraceContext
{
    public const string Parent = "traceparent";
    public const string State = "tracestate";

    /// <summary>Where Azure's older clients put, and look for, the same as in <see cref="Parent"/>.</summary>
    public const string DiagnosticId = "Diagnostic-Id";

    private const int LengthOfParent = 55;
    private const int LongestParent = 128;
    private const int LongestState = 512;

    /// <summary>The context in which the message was sent; default where there is none.</summary>
    public static ActivityContext Of(Message message)
    {
        var properties = message.Properties;
        if (properties.Count == 0)
            return default;

        return TryParse(Text(properties, Parent, LongestParent), Text(properties, State, LongestState), out var context)
            || TryParse(Text(properties, DiagnosticId, LongestParent), null, out context)
            ? context
            : default;
    }

    public static bool IsCarriedBy(Message message) =>
        message.Properties.Count > 0 && (message.Properties.ContainsKey(Parent) || message.Properties.ContainsKey(DiagnosticId));

    private static bool TryParse(string? parent, string? state, out ActivityContext context)
    {
        context = default;
        return Known(parent) is { } known
            && ActivityContext.TryParse(known, IsState(state) ? state : null, isRemote: true, out context)
            && context.TraceId != default
            && context.SpanId != default;
    }

    // A later version of the standard may add to what this one knows, but not change it.
    private static string? Known(string? parent) => parent switch
    {
        { Length: LengthOfParent } => parent,
        { Length: > LengthOfParent } when parent[LengthOfParent] == '-' && !parent.StartsWith("00", StringComparison.Ordinal) => parent[..LengthOfParent],
        _ => null,
    };

    // It is passed on to others as it is: so nothing may be in it that is no text.
    private static bool IsState(string? state) =>
        !string.IsNullOrEmpty(state) && !state.AsSpan().ContainsAnyExceptInRange(' ', '~');

    // Some clients write text as bytes.
    private static string? Text(IReadOnlyDictionary<string, object?> properties, string name, int longest) =>
        properties.TryGetValue(name, out var value)
            ? value switch
            {
                string text when text.Length <= longest => text,
                byte[] bytes when bytes.Length <= longest => Encoding.Latin1.GetString(bytes),
                _ => null,
            }
            : null;
}
