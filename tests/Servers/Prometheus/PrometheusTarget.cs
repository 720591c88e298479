namespace Holdfast.Tests.Servers.Prometheus;

/// <summary>Something to be scraped.</summary>
/// <param name="Address">Such as <c>127.0.0.1:8080</c>.</param>
public sealed record PrometheusTarget(string Job, string Address, string Path = "/metrics");
