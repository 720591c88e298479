using Holdfast.Tests.Servers.Docker;

namespace Holdfast.Tests.Integration.Docker;

/// <summary>The compose file that users are given, with what it asks for, and what stands in for images that can't be pulled.</summary>
internal static class ShippedCompose
{
    public const string Password = "for-tests-only";

    private static readonly Dictionary<string, string> s_environment = new()
    {
        ["RABBITMQ_PASSWORD"] = Password,
        ["GRAFANA_PASSWORD"] = Password,
        ["SERVICEBUS_KEY"] = Password,
        ["RABBITMQ_IMAGE"] = "holdfast-rabbitmq:debian",
        ["PROMETHEUS_IMAGE"] = "holdfast-prometheus:debian",
        ["ALERTMANAGER_IMAGE"] = "holdfast-alertmanager:debian",
        ["SERVICEBUS_IMAGE"] = "holdfast-servicebus:debian",
        // What isn't named is not started.
        ["COMPOSE_PROFILES"] = "servicebus",
        // Any that is free.
        ["WORKER_PORT"] = "",
        ["WORKER_SERVICEBUS_PORT"] = "",
        ["RABBITMQ_PORT"] = "",
        ["RABBITMQ_MANAGEMENT_PORT"] = "",
        ["PROMETHEUS_PORT"] = "",
        ["ALERTMANAGER_PORT"] = "",
    };

    public static ComposeProject On(DockerEngine engine) => new(engine, [SourceTree.Find("docker-compose.yml")], s_environment);

    /// <summary>The same with a file on top, and what that asks for.</summary>
    public static ComposeProject On(DockerEngine engine, string file, IReadOnlyDictionary<string, string> environment) =>
        new(engine, [SourceTree.Find("docker-compose.yml"), SourceTree.Find(file)], new Dictionary<string, string>([.. s_environment, .. environment]));
}
