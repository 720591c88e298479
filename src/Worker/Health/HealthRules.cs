using Holdfast.Consumer;

namespace Holdfast.Worker.Health;

/// <summary>Judges an engine's status. Only its own state decides whether it lives; the broker decides whether it is ready.</summary>
internal static class HealthRules
{
    private static readonly TimeSpan s_longestSilence = TimeSpan.FromSeconds(10);

    public static Verdict Startup(EngineStatus status) => status switch
    {
        { Fault: { } fault } => No(fault),
        { State: EngineState.Starting } => No("starting"),
        { State: EngineState.Failed } => No("failed"),
        _ => Yes("started"),
    };

    public static Verdict Live(EngineStatus status) => status switch
    {
        { Fault: { } fault } => No(fault),
        { State: EngineState.Failed } => No("failed"),
        { State: EngineState.Running or EngineState.Draining, LeaseLoopSilence: var silence } when silence > s_longestSilence =>
            No($"the lease loop has not come round for {silence.TotalSeconds:0.0} s"),
        _ => Yes("alive"),
    };

    public static Verdict Ready(EngineStatus status)
    {
        if (status.Fault is { } fault)
            return No(fault);
        if (status.State != EngineState.Running)
            return No(status.State.ToString().ToLowerInvariant());
        return status.Queues.FirstOrDefault(q => !q.IsConnected) is { } cut
            ? No($"{cut.Queue} is not connected{(cut.Problem is { } problem ? $": {problem}" : "")}")
            : Yes("ready");
    }

    private static Verdict Yes(string reason) => new(true, reason);

    private static Verdict No(string reason) => new(false, reason);
}
