using System.Reflection;
using RabbitMQ.Client;

namespace Holdfast.Bench;

/// <summary>The RabbitMQ server that all is measured on, for the processes that this one starts too.</summary>
internal static class RabbitTarget
{
    private const string UriVariable = "TEST_RABBITMQ_URI";
    private const string ManagementVariable = "TEST_RABBITMQ_MANAGEMENT_URI";

    public static bool IsKnown => Environment.GetEnvironmentVariable(UriVariable) is not null && Environment.GetEnvironmentVariable(ManagementVariable) is not null;

    public static string Uri => Environment.GetEnvironmentVariable(UriVariable)!;

    public static string ManagementUri => Environment.GetEnvironmentVariable(ManagementVariable)!;

    public static ConnectionFactory Factory => new() { Uri = new(Uri) };

    /// <summary>The client's version, which is one for all contenders: each process loads but one.</summary>
    public static string ClientVersion => typeof(ConnectionFactory).Assembly.GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    public static void Set(string uri, string managementUri)
    {
        Environment.SetEnvironmentVariable(UriVariable, uri);
        Environment.SetEnvironmentVariable(ManagementVariable, managementUri);
    }
}
