namespace Holdfast.Broker.ServiceBus;

/// <summary>What must hold of the options. What can't be is told under the name that settings have in all that is told of them, whoever set it.</summary>
internal static class OptionRules
{
    /// <summary>The settings that say where the namespace is: one of them, either with a key or a token, or beside an identity.</summary>
    public const string Connection = "ConnectionStrings__ServiceBus";
    public const string Namespace = "ServiceBus__FullyQualifiedNamespace";

    public const int MostSessions = 1_000;

    private static readonly TimeSpan s_shortest = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(10);

    /// <summary>Whether the broker may be given so long for an answer, or a session for its next message.</summary>
    public static bool IsPatience(TimeSpan value) => value >= s_shortest && value <= s_longest;

    /// <summary>Whether so many sessions can be held at once.</summary>
    public static bool AreSessions(int most) => most is >= 1 and <= MostSessions;

    /// <summary>Whether one session may be asked for: not where there are said to be none.</summary>
    public static bool MayName(string? sessionId, bool? sessions) => sessionId is null || sessions != false;

    /// <exception cref="ArgumentException">One of them can't be as it is.</exception>
    public static void Check(ServiceBusBrokerOptions options)
    {
        if (!MayName(options.SessionId, options.Sessions))
            throw new ArgumentException("Worker__ServiceBus__SessionId: It is of use with sessions only; set Worker__ServiceBus__Sessions to true, or leave one of them out.");
        if (!AreSessions(options.MaxSessions))
            throw new ArgumentException($"Worker__ServiceBus__MaxSessions: {options.MaxSessions} is out of range; set 1 to {MostSessions}.");
        CheckPatience("SessionIdleTime", options.SessionIdleTime);
        CheckPatience("OperationTimeout", options.OperationTimeout);
    }

    private static void CheckPatience(string setting, TimeSpan value)
    {
        if (!IsPatience(value))
            throw new ArgumentException($"Worker__ServiceBus__{setting}: {value} is out of range; set {s_shortest} to {s_longest}.");
    }
}
