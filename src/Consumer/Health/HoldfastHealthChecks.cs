using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>Puts the engine's health among that of its host.</summary>
public static class HoldfastHealthChecks
{
    /// <summary>
    /// Adds three checks: <c>holdfast-startup</c>, <c>holdfast-live</c> and <c>holdfast-ready</c>, tagged <c>startup</c>, <c>live</c> and <c>ready</c>,
    /// so that each can be asked by itself: a broker that is down is no reason to restart a process. Called again, it adds nothing.
    /// </summary>
    public static IHealthChecksBuilder AddHoldfast(this IHealthChecksBuilder checks)
    {
        // There is one engine, however many configure it, and two checks of one name are refused when the first is asked.
        if (checks.Services.Any(service => service.ServiceType == typeof(Added)))
            return checks;

        checks.Services.AddSingleton<Added>();
        return checks
            .Add("startup", HealthRules.Startup)
            .Add("live", HealthRules.Live)
            .Add("ready", HealthRules.Ready);
    }

    private static IHealthChecksBuilder Add(this IHealthChecksBuilder checks, string question, Func<EngineStatus, HealthVerdict> judge) =>
        checks.Add(new($"holdfast-{question}", services => new EngineHealthCheck(EngineOf(services), judge), failureStatus: null, tags: [question]));

    private static IEngine EngineOf(IServiceProvider services) => services.GetService<IEngine>()
        ?? throw new InvalidOperationException("There is no engine whose health could be asked for; call AddHoldfast on the host's services, or leave AddHealthChecks().AddHoldfast() out where the host only sends.");

    /// <summary>Among a host's services where the checks are.</summary>
    private sealed class Added;
}
