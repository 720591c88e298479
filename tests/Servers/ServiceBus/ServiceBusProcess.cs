using System.Diagnostics;
using System.Text;
using System.Text.Json;

namespace Holdfast.Tests.Servers.ServiceBus;

/// <summary>One run of the broker. It ends when its standard input does, and so with this process, however that ends.</summary>
internal sealed class ServiceBusProcess : IAsyncDisposable
{
    private const string Program = "broker.mjs";

    private readonly Process _process;
    private readonly StringBuilder _complaints = new();

    private ServiceBusProcess(Process process)
    {
        _process = process;
        process.ErrorDataReceived += (_, line) => Keep(line.Data);
        process.BeginErrorReadLine();
    }

    public static bool IsInstalled => Folder is { } folder && Directory.Exists(Path.Combine(folder, "node_modules", "rhea")) && Node is not null;

    private static string? Folder { get; } = FindFolder();

    private static string? Node { get; } = (Environment.GetEnvironmentVariable("PATH") ?? "")
        .Split(Path.PathSeparator, StringSplitOptions.RemoveEmptyEntries)
        .Select(folder => Path.Combine(folder, "node"))
        .FirstOrDefault(File.Exists);

    public static ServiceBusProcess Start(IEnumerable<string> arguments)
    {
        if (!IsInstalled)
            throw new InvalidOperationException(ServiceBusServer.HowToInstall);
        var start = new ProcessStartInfo(Node!, [Path.Combine(Folder!, Program), "--port=0", "--with-parent", .. arguments])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        return new ServiceBusProcess(Process.Start(start)!);
    }

    /// <summary>Starts another program of the broker's folder, which has the same packages.</summary>
    public static Process StartPeer(string program, string argument) =>
        Process.Start(new ProcessStartInfo(Node!, [Path.Combine(Folder!, program), argument]) { RedirectStandardInput = true, RedirectStandardOutput = true })!;

    public async Task<ServiceBusPorts> PortsAsync()
    {
        var line = await _process.StandardOutput.ReadLineAsync();
        if (line is not null)
            return JsonSerializer.Deserialize<ServiceBusPorts>(line, JsonSerializerOptions.Web)!;
        await _process.WaitForExitAsync();
        lock (_complaints)
            throw new InvalidOperationException($"The Service Bus broker ended while it started, with {_process.ExitCode}:\n{_complaints}");
    }

    public async ValueTask DisposeAsync()
    {
        _process.StandardInput.Close();
        await _process.WaitForExitAsync();
        _process.Dispose();
    }

    private static string? FindFolder()
    {
        for (var folder = new DirectoryInfo(AppContext.BaseDirectory); folder is not null; folder = folder.Parent)
        {
            var candidate = Path.Combine(folder.FullName, "tests", "ServiceBusBroker");
            if (File.Exists(Path.Combine(candidate, Program)))
                return candidate;
        }

        return null;
    }

    private void Keep(string? line)
    {
        lock (_complaints)
            _complaints.AppendLine(line);
    }
}
