namespace Holdfast.Worker.Prometheus;

/// <summary>The two texts that a Prometheus server reads.</summary>
internal enum ExpositionFormat
{
    /// <summary>Prometheus text 0.0.4.</summary>
    Text,

    /// <summary>OpenMetrics 1.0.0: the one with exemplars.</summary>
    OpenMetrics,
}
