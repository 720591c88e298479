using System.Diagnostics;
using Holdfast.Worker.Hosting;

namespace Holdfast.Bench;

/// <summary>A worker in a process of its own that holds many leases at leisure, from both its ends: who starts it knows its address and what CPU it took.</summary>
internal sealed class PageWorker : IDisposable
{
    public const string Argument = "--page-worker";

    private readonly Process _process;

    private PageWorker(Process process, Uri address) => (_process, Address) = (process, address);

    public Uri Address { get; }

    public TimeSpan Cpu
    {
        get
        {
            _process.Refresh();
            return _process.TotalProcessorTime;
        }
    }

    public static async Task<PageWorker> StartAsync(int leases, TimeSpan lockDuration)
    {
        var process = Child.StartAsWorker(
            [Argument],
            ("ASPNETCORE_HTTP_PORTS", "0"),
            ("Worker__Admission", "Fixed"),
            ("Worker__MaxConcurrency", $"{leases}"),
            ("Worker__InMemory__LockDuration", $"{lockDuration}"),
            ("Worker__Demo__Produce", $"{leases}"),
            ("Worker__Demo__Turns", "1000"),
            ("Worker__Demo__CpuMilliseconds", "0"),
            ("Worker__Demo__IoMilliseconds", "1000"));
        var address = await StatusPage.AddressAsync(process.StandardOutput);
        _ = process.StandardOutput.ReadToEndAsync();
        return new PageWorker(process, address);
    }

    /// <summary>Runs the worker in this process, to its end.</summary>
    public static Task<int> RunAsync()
    {
        OwnProcess.EndWithParent();
        return Run.ToEndAsync(Console.Error);
    }

    public void Dispose()
    {
        _process.Kill();
        _process.Dispose();
    }
}
