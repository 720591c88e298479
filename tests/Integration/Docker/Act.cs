namespace Holdfast.Tests.Integration.Docker;

/// <summary>One lot of messages on its way through the deployment, and the account of it.</summary>
internal sealed class Act
{
    // In hand of a killed or silenced worker, and those whose acknowledgements were on their way when it was.
    private const int MostRepeats = 2 * Deployment.MaxConcurrency;

    private readonly Deployment _deployment;
    private readonly Page _page;
    private readonly Dictionary<Life, int> _missesBefore;

    private Act(Deployment deployment, Page page, IReadOnlyList<Life> workers)
    {
        (_deployment, _page, Workers) = (deployment, page, workers);
        _missesBefore = deployment.Lives.ToDictionary(life => life, life => life.Misses);
    }

    /// <summary>Those that ran when it began.</summary>
    public IReadOnlyList<Life> Workers { get; }

    /// <summary>Sends so many messages to so many workers.</summary>
    public static async Task<Act> BeginAsync(Deployment deployment, string name, int workers, int messages, TimeSpan work)
    {
        var running = await deployment.ScaleAsync(workers);
        var act = new Act(deployment, deployment.Open(name, messages, work), running);
        await deployment.SendAsync(Deployment.Orders, act._page.Ids);
        return act;
    }

    /// <summary>Waits until so many hundredths of the messages were handled. However long all of them take, the next one must not.</summary>
    public async Task HandledAsync(int percent)
    {
        for (var part = 1; part <= percent; part++)
        {
            var wanted = _page.Ids.Count * part / 100;
            await Eventually.HoldsAsync(() => $"{wanted} messages to be handled; {_page.Handled} were.\n{Story()}", () => Task.FromResult(_page.Handled >= wanted));
        }
    }

    /// <summary>Waits until a worker is back at work: it handles some of what is sent to all.</summary>
    public async Task IsBackAsync(Life life)
    {
        var lot = 0;
        await Eventually.HoldsAsync("a worker to come back", async () =>
        {
            var page = _deployment.Open($"{_page.Name}-{++lot}", Deployment.MaxConcurrency, _page.Work);
            await _deployment.SendAsync(Deployment.Orders, page.Ids);
            await Eventually.HoldsAsync("the others to work meanwhile", () => page.Handled == page.Ids.Count);
            return page.Workers.Intersect(life.Addresses).Any();
        });
    }

    /// <summary>
    /// Settles the account: each message was handled; again only what a worker had in hand that was disturbed; no queue keeps anything;
    /// nobody else has missed a lease; and Prometheus knows of as many misses as the logs.
    /// </summary>
    public async Task EndAsync(params Life[] disturbed)
    {
        await HandledAsync(100);
        await Eventually.HoldsAsync("the queues to be empty", async () => await _deployment.MessagesAsync() == 0);
        Assert.Empty(_page.Missing);

        // Whose work came second can't be told: one that stood still goes on where it was, with what others have done meanwhile.
        Assert.True(_page.Repeats(but: disturbed) is [], $"Handled again, though nothing had happened to who had them: {string.Join(' ', _page.Repeats(but: disturbed))}.\n{Story()}");
        Assert.InRange(_page.Repeats().Count, 0, MostRepeats * disturbed.Length);

        string told = "";
        await Eventually.HoldsAsync(() => $"misses in the logs and on the dashboard to be the same.\n{told}", async () =>
        {
            var all = await _deployment.MissesAsync();
            told = string.Join('\n', all.Select(one => $"{one.Life}: {one.Logged} logged, {one.Scraped} scraped"));
            return all.All(one => one.Logged == one.Scraped);
        });
        foreach (var (life, logged, _) in (await _deployment.MissesAsync()).Where(one => !disturbed.Contains(one.Life)))
            Assert.True(logged == _missesBefore.GetValueOrDefault(life), $"{life} has missed leases.\n{Story()}");
    }

    private string Story() => string.Join('\n', _deployment.Lives.Select(life => life.Story()));
}
