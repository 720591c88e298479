using System.Diagnostics;

namespace Holdfast.Tests.Integration;

/// <summary>The worker, in its own process, set up as a person does it.</summary>
internal sealed class WorkerProcess : IDisposable
{
    private readonly Process _process;
    private readonly Task<string> _error;
    private string _output = "";
    private Task<string>? _rest;

    private WorkerProcess(ProcessStartInfo start)
    {
        _process = Process.Start(start)!;
        _error = _process.StandardError.ReadToEndAsync();
    }

    /// <summary>Starts it on a RabbitMQ, with the demo's handler where the settings name no other.</summary>
    public static WorkerProcess Start(string uri, string queue, params (string Name, string Value)[] settings) =>
        Start([("Worker__Handler", "Demo"), .. settings, ("Worker__Broker", "RabbitMq"), ("Worker__Queue", queue), ("ConnectionStrings__RabbitMq", uri)]);

    /// <summary>Starts it with these settings, on its embedded broker where they name none.</summary>
    public static WorkerProcess Start(params IEnumerable<(string Name, string Value)> settings)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = AppContext.BaseDirectory,
        };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        start.Environment["ASPNETCORE_HTTP_PORTS"] = "0";
        return new WorkerProcess(start);
    }

    /// <summary>Waits until it tells where its pages are. What it tells after that is read where it is not wanted that nobody does.</summary>
    public async Task<Uri> StatusPageAsync(bool isReadOn = true)
    {
        const string Begin = "Status page: ";
        while (await _process.StandardOutput.ReadLineAsync() is { } line)
        {
            _output += line + '\n';
            if (line.IndexOf(Begin, StringComparison.Ordinal) is not (>= 0 and var at))
                continue;

            if (isReadOn)
                _rest = _process.StandardOutput.ReadToEndAsync();
            return new Uri(line[(at + Begin.Length)..].Split('"')[0].Trim());
        }

        throw new InvalidOperationException($"It ended without '{Begin}': {await _error}");
    }

    /// <summary>Asks it to stop.</summary>
    public Task TerminateAsync() => SignalAsync("TERM");

    /// <summary>Sends it a signal, such as STOP.</summary>
    public async Task SignalAsync(string signal)
    {
        using var kill = Process.Start("kill", [$"-{signal}", $"{_process.Id}"]);
        await kill.WaitForExitAsync();
    }

    /// <summary>Waits for its end.</summary>
    public async Task<(int Code, string Output, string Error)> EndAsync()
    {
        _output += await (_rest ?? _process.StandardOutput.ReadToEndAsync());
        await _process.WaitForExitAsync();
        return (_process.ExitCode, _output, await _error);
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}
