using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Holdfast.Consumer;

/// <summary>One health question about the engine, as .NET's health checks ask it.</summary>
internal sealed class EngineHealthCheck(IEngine engine, Func<EngineStatus, HealthVerdict> judge) : IHealthCheck
{
    public Task<HealthCheckResult> CheckHealthAsync(HealthCheckContext context, CancellationToken cancellationToken = default)
    {
        var (healthy, reason) = judge(engine.Status);
        return Task.FromResult(new HealthCheckResult(healthy ? HealthStatus.Healthy : context.Registration.FailureStatus, reason));
    }
}
