namespace Holdfast.Consumer;

/// <summary>Judges an engine's status. Only its own state decides whether it lives; the broker decides whether it is ready.</summary>
public static class HealthRules
{
    private static readonly TimeSpan s_longestSilence = TimeSpan.FromSeconds(10);

    /// <summary>Whether it has started.</summary>
    public static HealthVerdict Startup(EngineStatus status) => status switch
    {
        { Fault: { } fault } => No(fault),
        { State: EngineState.Starting } => No("starting"),
        { State: EngineState.Failed } => No("failed"),
        _ => Yes("started"),
    };

    /// <summary>Whether it is still of use: if not, only a new process is.</summary>
    public static HealthVerdict Live(EngineStatus status) => status switch
    {
        { Fault: { } fault } => No(fault),
        { State: EngineState.Failed } => No("failed"),
        { State: EngineState.Running or EngineState.Draining, LeaseLoopSilence: var silence } when silence > s_longestSilence =>
            No($"the lease loop has not come round for {silence.TotalSeconds:0.0} s"),
        _ => Yes("alive"),
    };

    /// <summary>Whether it takes messages from every queue.</summary>
    public static HealthVerdict Ready(EngineStatus status)
    {
        if (status.Fault is { } fault)
            return No(fault);
        if (status.State != EngineState.Running)
            return No(status.State.ToString().ToLowerInvariant());
        return status.Queues.FirstOrDefault(q => !q.IsConnected) is { } cut
            ? No($"{cut.Queue} is not connected{(cut.Problem is { } problem ? $": {problem}" : "")}")
            : Yes("ready");
    }

    private static HealthVerdict Yes(string reason) => new(true, reason);

    private static HealthVerdict No(string reason) => new(false, reason);
}
