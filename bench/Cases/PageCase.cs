namespace Holdfast.Bench;

/// <summary>What the status page costs: the browser that shows it, and the worker that feeds it.</summary>
internal static class PageCase
{
    private const int Leases = 500;
    private const int Few = 1;
    private const int Many = 9;
    private const double MostBusy = 0.3;
    private const double MostCpu = 0.01;
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_toSettle = TimeSpan.FromSeconds(2);

    public static Case Case { get; } = new(
        "page",
        $"the status page of a worker that holds {Leases} leases, each under a lock of {s_lock.TotalSeconds:0} s, keeps the browser's main thread busy for less than {MostBusy:0 %} of the time, and costs the worker less than {MostCpu:0 %} of a core for each viewer.",
        ["what", "found"],
        [new("browser", scale => MeasureBrowserAsync(scale).Result), new("worker", scale => MeasureWorkerAsync(scale).Result)])
    { NeedsBrowser = true };

    private static async Task<Outcome> MeasureBrowserAsync(Scale scale)
    {
        using var worker = await PageWorker.StartAsync(Leases, s_lock);
        var rounds = await Browser.ShowAsync(worker.Address, Leases, Round(scale), scale.Pick(5, 1));
        var busy = Reading.Median(rounds.Select(round => round.Busy));
        return new(
            [
                new(["browser's main thread, busy", Show(busy)], $"less than {MostBusy:0 %}", busy.Value < MostBusy),
                new(["of that in scripts", Show(Reading.Median(rounds.Select(round => round.Script)))]),
                new(["of that in styles and layout", Show(Reading.Median(rounds.Select(round => round.Style + round.Layout)))]),
            ],
            $"{rounds.Min(round => round.Leases)} leases in the list at least; Chromium without a window, 1600 by 1000; its TaskDuration over {Round(scale).TotalSeconds:0} s a round");
    }

    private static async Task<Outcome> MeasureWorkerAsync(Scale scale)
    {
        using var worker = await PageWorker.StartAsync(Leases, s_lock);
        await Task.Delay(s_toSettle * scale.Pick(3, 1));
        var (alone, few, many, bytes) = (new List<double>(), new List<double>(), new List<double>(), new List<double>());
        for (var i = 0; i < scale.Pick(5, 1); i++)
        {
            alone.Add((await WatchAsync(worker, 0, Round(scale))).Cpu);
            few.Add((await WatchAsync(worker, Few, Round(scale))).Cpu);
            var (cpu, sent) = await WatchAsync(worker, Many, Round(scale));
            many.Add(cpu);
            bytes.Add(sent);
        }

        var first = Reading.Median(few.Zip(alone, (one, none) => one - none));
        var each = Reading.Median(many.Zip(few, (more, less) => (more - less) / (Many - Few)));
        return new(
            [
                new(["worker's CPU without a viewer", Show(Reading.Median(alone))]),
                new(["more for the first viewer", Show(first)], $"less than {MostCpu:0 %}", first.Value < MostCpu),
                new(["more for each one after", Show(each)], $"less than {MostCpu:0 %}", each.Value < MostCpu),
                new(["bytes a second to each", $"{Reading.Median(bytes)}"]),
            ],
            $"of one core, from the process's own CPU time over {Round(scale).TotalSeconds:0} s with none, {Few} and {Many} viewers in turn; compared round by round");
    }

    private static async Task<(double Cpu, double Bytes)> WatchAsync(PageWorker worker, int viewers, TimeSpan round)
    {
        await using var watching = await Viewers.ComeAsync(worker.Address, viewers);
        await Task.Delay(s_toSettle);
        var (cpu, start) = (worker.Cpu, TimeProvider.System.GetTimestamp());
        await Task.Delay(round);
        var elapsed = TimeProvider.System.GetElapsedTime(start);
        return ((worker.Cpu - cpu) / elapsed, await watching.GoAsync() / (elapsed + s_toSettle).TotalSeconds);
    }

    private static TimeSpan Round(Scale scale) => TimeSpan.FromSeconds(scale.Pick(8, 2));

    private static string Show(Reading shares) => shares.Show(share => $"{share:0.00 %}");
}
