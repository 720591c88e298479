using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Holdfast.Worker.Hosting;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class ProcessTests
{
    [Fact]
    public async Task A_setting_that_can_not_be_ends_the_process_with_a_line_for_each_mistake()
    {
        var (code, error) = await RunAsync(("Worker__Threads", "two"), ("Worker__MaxConcurency", "5"));

        Assert.Equal(ExitCode.Misconfigured, code);
        Assert.Equal(
            [
                "Worker__MaxConcurency is no setting; did you mean Worker__MaxConcurrency?",
                "Worker__Threads is 'two', but must be a whole number, at most 2147483647",
            ], error);
    }

    [Fact]
    public async Task A_port_in_use_ends_the_process_with_a_line()
    {
        using var taken = new TcpListener(IPAddress.IPv6Any, 0) { Server = { DualMode = true } };
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;

        var (code, error) = await RunAsync(("ASPNETCORE_HTTP_PORTS", $"{port}"));

        Assert.Equal(ExitCode.Misconfigured, code);
        var line = Assert.Single(error);
        Assert.StartsWith("ASPNETCORE_HTTP_PORTS: ", line);
        Assert.Contains($"{port}", line);
    }

    private static async Task<(int Code, string[] Error)> RunAsync(params (string Name, string Value)[] settings)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        using var process = Process.Start(start)!;
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Empty(await output);
        return (process.ExitCode, error.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }
}
