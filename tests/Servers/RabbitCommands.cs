using System.Diagnostics;

namespace Holdfast.Tests.Servers;

/// <summary>RabbitMQ's own scripts, with the environment that points them at one private server.</summary>
internal sealed class RabbitCommands(RabbitFolder folder, string name, int distributionPort, int portMapperPort)
{
    private static readonly string[] s_roots = ["/usr/lib/rabbitmq/lib", "/opt"];

    /// <summary>The folder of RabbitMQ's scripts; null where it is not installed. The ones on the PATH insist on the system's own server.</summary>
    public static string? Scripts { get; } = s_roots
        .Where(Directory.Exists)
        .SelectMany(root => Directory.EnumerateDirectories(root, "rabbitmq*"))
        .Select(home => Path.Combine(home, "sbin"))
        .FirstOrDefault(scripts => File.Exists(Path.Combine(scripts, "rabbitmq-server")));

    public ProcessStartInfo Command(string program, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo(program, arguments) { WorkingDirectory = folder.Path };
        foreach (var (variable, value) in folder.Environment)
            start.Environment[variable] = value;
        start.Environment["ERL_EPMD_ADDRESS"] = "127.0.0.1";
        start.Environment["ERL_EPMD_PORT"] = $"{portMapperPort}";
        start.Environment["RABBITMQ_NODENAME"] = name;
        start.Environment["RABBITMQ_DIST_PORT"] = $"{distributionPort}";
        start.Environment["RABBITMQ_CTL_ERL_ARGS"] = start.Environment["RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS"] = "-kernel inet_dist_use_interface {127,0,0,1}";
        return start;
    }

    public Task<string> ControlAsync(string[] arguments) => Command(Script("rabbitmqctl"), ["-n", name, .. arguments]).OutputAsync();

    public static string Script(string script) => Path.Combine(Scripts ?? throw new InvalidOperationException(RabbitNode.HowToInstall), script);
}
