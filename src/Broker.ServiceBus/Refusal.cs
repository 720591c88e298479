using System.Globalization;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>What the broker said when it did not do what it was asked for, in a link's error, a rejection or an answer.</summary>
internal readonly record struct Refusal(string? Condition, string? Description)
{
    private const int Unauthorized = 401;
    private const int Forbidden = 403;
    private const int NotFound = 404;
    private const int TimedOut = 408;
    private const int Gone = 410;
    private const int Busy = 503;

    private static readonly TimeSpan s_usualRest = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longestRest = TimeSpan.FromMinutes(1);

    /// <summary>Whether the same may well be done a moment later.</summary>
    public bool IsForNow => Condition is Conditions.ServerBusy or Conditions.Timeout;

    /// <summary>For how long the broker asks to be left in peace, where it is busy: what a text such as "Please wait 10 seconds and try again" says. Null where it is not.</summary>
    public TimeSpan? RetryAfter => Condition == Conditions.ServerBusy ? Seconds ?? s_usualRest : null;

    public bool IsLost => Conditions.IsLost(Condition);

    /// <summary>
    /// Whether each alone would have been done, and only together they were too much: what different partitions keep. The broker gives that no condition of its
    /// own: it is told by words that no entity's name can hold.
    /// </summary>
    public bool IsOfPartitions => Says("partitioning enabled");

    /// <summary>Whether it was to be received from without sessions where they are required, or the other way round. The broker gives that no condition of its own: it is told by its words.</summary>
    public bool IsOfSessions => Says("sessionful message receiver");

    /// <summary>Whether a message without a session was sent where they are required. The broker gives that no condition of its own: it is told by its words.</summary>
    public bool IsOfUnsetSession => Says("SessionId was not set");

    /// <summary>Whether our token is over by the broker's clock. The broker gives that no condition of its own: it is told by its words.</summary>
    public bool IsOfExpiry => Says("expired");

    public static Refusal Of(BrokerException problem) => problem.InnerException switch
    {
        AmqpException cause => Of(cause),
        BrokerException lasting => Of(lasting),
        _ => default,
    };

    public static Refusal Of(AmqpException problem) => new(problem.Condition?.Value, problem.Description);

    public static Refusal Of(AmqpError? error) => new(error?.Condition.Value, error?.Description);

    /// <summary>What an answer of that status means, where it names no condition of its own.</summary>
    public static Refusal Of(int status, string? condition, string? description) => new(
        condition ?? status switch
        {
            Unauthorized or Forbidden => Conditions.Unauthorized,
            NotFound => Conditions.NotFound,
            TimedOut => Conditions.Timeout,
            Gone => Conditions.MessageLockLost,
            Busy => Conditions.ServerBusy,
            _ => null,
        },
        description is { Length: > 0 } ? description : $"status {status}");

    private TimeSpan? Seconds
    {
        get
        {
            var words = (Description ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries);
            for (var i = 1; i < words.Length; i++)
            {
                if (words[i].StartsWith("second", StringComparison.OrdinalIgnoreCase)
                    && double.TryParse(words[i - 1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds))
                {
                    return seconds < s_longestRest.TotalSeconds ? TimeSpan.FromSeconds(seconds) : s_longestRest;
                }
            }

            return null;
        }
    }

    private bool Says(string words) => Description?.Contains(words, StringComparison.OrdinalIgnoreCase) == true;
}
