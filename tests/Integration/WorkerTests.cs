using System.Net;
using System.Text.RegularExpressions;

namespace Holdfast.Tests.Integration;

/// <summary>The worker's own process on a real server.</summary>
public sealed class WorkerTests : IClassFixture<VirtualHost>
{
    private const string Secret = "s3cret-of-nobody";

    private readonly VirtualHost _vhost;

    public WorkerTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Fact]
    public async Task It_handles_what_was_sent_shows_that_and_ends_well()
    {
        var queue = _vhost.NewQueue();
        await using (var broker = _vhost.NewBroker())
            await broker.SendAsync(queue, Port.Names(10));
        using var worker = WorkerProcess.Start(_vhost.Uri, queue, ("Worker__Demo__Produce", "0"), ("Worker__Demo__IoMilliseconds", "10"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };

        await Eventually.HoldsAsync("all to be settled", async () =>
            Regex.IsMatch(await page.GetStringAsync("metrics"), """^holdfast_messages_settled_total\{.*outcome="complete".*\} 10$""", RegexOptions.Multiline));
        await worker.TerminateAsync();
        var (code, output, error) = await worker.EndAsync();

        Assert.Equal((0, ""), (code, error));
        Assert.DoesNotContain(new Uri(_vhost.Uri).UserInfo.Split(':')[1], output);
        await _vhost.NothingIsLeftAsync(queue);
    }

    [Fact]
    public async Task Its_port_reads_no_more_of_a_request_than_anybody_needs()
    {
        using var worker = WorkerProcess.Start(("Worker__Demo__Produce", "0"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };
        using var large = new HttpRequestMessage(HttpMethod.Get, "metrics") { Headers = { { "X-Large", new string('x', 20_000) } } };

        using var refused = await page.SendAsync(large);
        using var answered = await page.GetAsync("metrics");

        Assert.Equal((HttpStatusCode.RequestHeaderFieldsTooLarge, HttpStatusCode.OK), (refused.StatusCode, answered.StatusCode));
    }

    [Fact]
    public async Task A_log_that_nobody_reads_holds_nothing_up_and_what_it_left_out_is_told()
    {
        using var worker = WorkerProcess.Start(
            ("Worker__Handler", "Exec"), ("Worker__Exec__Command", "seq"), ("Worker__Exec__Arguments", "1000"), ("Worker__Exec__LogLines", "1000"), ("Worker__Demo__Produce", "100"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync(isReadOn: false) };

        await Eventually.HoldsAsync("far more to be handled than the log has room for", async () =>
            Regex.Match(await page.GetStringAsync("metrics"), """^holdfast_messages_settled_total\{.*outcome="complete".*\} (\d+)$""", RegexOptions.Multiline) is { Success: true } settled
            && int.Parse(settled.Groups[1].Value) > 100);
        await worker.TerminateAsync();
        var (code, _, error) = await worker.EndAsync();

        Assert.Equal(0, code);
        Assert.Matches(@"\d+ message\(s\) dropped", error);
    }

    [Fact]
    public async Task A_terminal_that_is_closed_is_a_stop_like_any_other()
    {
        // What a process ignores, as under nohup, all that it starts ignore too.
        var ignored = Regex.Match(await File.ReadAllTextAsync("/proc/self/status"), @"^SigIgn:\s*(\w+)", RegexOptions.Multiline).Groups[1].Value;
        Assert.SkipWhen((Convert.ToUInt64(ignored, 16) & 1) != 0, "The signal of a closed terminal is ignored here.");
        using var worker = WorkerProcess.Start(("Worker__Demo__Produce", "20"), ("Worker__Demo__IoMilliseconds", "1000"));
        using var page = new HttpClient { BaseAddress = await worker.StatusPageAsync() };
        await Eventually.HoldsAsync("a message to be handled", async () =>
            Regex.IsMatch(await page.GetStringAsync("metrics"), """^holdfast_leases_held\{.*\} [1-9]""", RegexOptions.Multiline));

        await worker.SignalAsync("HUP");
        var (code, output, error) = await worker.EndAsync();

        Assert.Equal((0, ""), (code, error));
        Assert.Matches(@"Stopped\. orders: settled [1-9][^\n]*$", output.TrimEnd());
    }

    [Fact]
    public async Task What_time_can_not_heal_ends_it_with_a_line_that_keeps_the_password_to_itself()
    {
        var uri = new UriBuilder(_vhost.Uri) { UserName = "somebody", Password = Secret }.Uri.AbsoluteUri;
        using var worker = WorkerProcess.Start(uri, _vhost.NewQueue());

        var (code, output, error) = await worker.EndAsync();

        Assert.NotEqual(0, code);
        Assert.Contains("'somebody'", Assert.Single(error.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries)));
        Assert.DoesNotContain(Secret, error + output);
    }
}
