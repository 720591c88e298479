namespace Holdfast.Tests.Servers.Prometheus;

/// <summary>Something to be scraped, at an address such as 127.0.0.1:8080.</summary>
public sealed record PrometheusTarget(string Job, string Address, string Path = "/metrics");
