using OpenTelemetry.Resources;

namespace Holdfast.Worker.Hosting;

/// <summary>What telemetry says of who sends it, and the names under which the engine and .NET tell what they measure.</summary>
internal static class Identity
{
    public const string Telemetry = "Holdfast";
    public const string Runtime = "System.Runtime";

    /// <summary>The name can be set by OTEL_SERVICE_NAME, and more be told by OTEL_RESOURCE_ATTRIBUTES, in the configuration that the builder was given.</summary>
    public static void Describe(ResourceBuilder resource) =>
        resource.Clear()
            .AddService("holdfast", serviceVersion: Product.Version, autoGenerateServiceInstanceId: false)
            .AddTelemetrySdk()
            .AddEnvironmentVariableDetector();
}
