using System.Diagnostics;

namespace Holdfast.Tests.Servers;

/// <summary>A program under a keeper that ends it when it is told to, or when this process is gone.</summary>
internal sealed class KeptProcess : IAsyncDisposable
{
    private const int TailLines = 20;

    // The pipe to the keeper closes with this process, however that ends.
    private const string Keeper = """
        exec 3<&0 </dev/null >"$LOG" 2>&1
        "$@" 3<&- &
        program=$!
        {
            while read -r _; do :; done
            kill -s KILL "$program"
        } <&3 &
        watch=$!
        exec 3<&-
        wait "$program"
        kill -s KILL "$watch"
        """;

    private readonly Process _keeper;
    private readonly string _log;

    private KeptProcess(Process keeper, string log) => (_keeper, _log) = (keeper, log);

    public bool HasEnded => _keeper.HasExited;

    public string LogTail => string.Join('\n', File.ReadLines(_log).TakeLast(TailLines));

    /// <summary>Starts a program that writes into a log file.</summary>
    public static KeptProcess Start(string log, string program, params IEnumerable<string> arguments)
    {
        var start = new ProcessStartInfo("sh", ["-c", Keeper, "keeper", program, .. arguments]) { RedirectStandardInput = true };
        start.Environment["LOG"] = log;
        return new KeptProcess(Process.Start(start)!, log);
    }

    public async ValueTask DisposeAsync()
    {
        _keeper.StandardInput.Close();
        await _keeper.WaitForExitAsync();
        _keeper.Dispose();
    }
}
