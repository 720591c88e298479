using OpenTelemetry.Resources;

namespace Holdfast.Worker.Hosting;

/// <summary>What telemetry says of who sends it, and the names under which the engine and .NET tell what they measure.</summary>
internal static class Identity
{
    public const string Telemetry = "Holdfast";
    public const string Runtime = "System.Runtime";

    private static readonly string s_instance = Guid.NewGuid().ToString();

    /// <summary>The name can be set by OTEL_SERVICE_NAME, and more be told by OTEL_RESOURCE_ATTRIBUTES, in the configuration that the builder was given.</summary>
    public static void Describe(ResourceBuilder resource) => Describe(resource, null);

    /// <summary>The same, and which process it is. A collector hears all replicas at one address, and would take their counters for one; who scrapes knows whom he asks.</summary>
    public static void DescribeInstance(ResourceBuilder resource) => Describe(resource, s_instance);

    private static void Describe(ResourceBuilder resource, string? instance) =>
        resource.Clear()
            .AddService("holdfast", serviceVersion: Product.Version, autoGenerateServiceInstanceId: false, serviceInstanceId: instance)
            .AddTelemetrySdk()
            .AddEnvironmentVariableDetector();
}
