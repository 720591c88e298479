using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration.Commands;

/// <summary>A replay that is killed at random moments.</summary>
public sealed class ReplayKillTests : IClassFixture<VirtualHost>
{
    private const int Messages = 20_000;
    private const int Kills = 3;

    private readonly VirtualHost _vhost;

    public ReplayKillTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    [Theory]
    [InlineData(QueueType.Quorum, "")]
    [InlineData(QueueType.Classic, "")]
    [InlineData(QueueType.Classic, "line")]
    public async Task However_often_it_is_killed_each_message_is_in_one_queue_or_the_other_and_in_the_end_all_are_sent_once(QueueType type, string orderBy)
    {
        var seed = Environment.GetEnvironmentVariable("TEST_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"TEST_SEED={seed}");
        var dice = new Random(seed);
        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(Messages);
        (string, string)[] settings = [.. pile.Settings, ("Worker__OrderBy", orderBy)];
        var sent = new List<string>();

        for (var life = 0; life < Kills; life++)
        {
            using var replay = HoldfastCommand.Start(settings, "dead", "replay", "--yes");
            var takenFirst = dice.Next(1, Messages / (Kills + 1));
            await Eventually.HoldsAsync(
                "the replay to go on",
                async () => (await HasTakenAsync(takenFirst) && (life < Kills - 1 || await HasSentAsync())) || replay.HasExited);
            if (replay.HasExited)
                Assert.Fail($"It ended before it was killed, having been asked for {takenFirst}: {await replay.StandardOutput.ReadToEndAsync()}{await replay.StandardError.ReadToEndAsync()}");
            replay.Kill();
            await replay.WaitForExitAsync();

            // The server hears of it in its own time, and has everything back then.
            var (dead, alive) = (0u, 0u);
            await Eventually.HoldsAsync(
                () => $"all messages to be in one queue or the other: {dead} and {alive} are, {sent.Count} were taken",
                async () =>
                {
                    (dead, alive) = (await pile.CountAsync(pile.Dead), await pile.CountAsync(pile.Queue));
                    return dead + alive == Messages - sent.Count;
                });
            sent.AddRange((await pile.TakeAllAsync(pile.Queue)).Select(message => message.Envelope.MessageId!));
        }

        Assert.InRange(sent.Count, 1, Messages - 1);
        Assert.Equal(sent.Distinct(), sent);
        var (code, output, error) = await HoldfastCommand.RunAsync(settings, "dead", "replay", "--yes");
        Assert.True(code == 0, $"The last replay ended with {code}: {output}{error}");
        await pile.HasAsync(pile.Queue, Messages - sent.Count);
        sent.AddRange((await pile.TakeAllAsync(pile.Queue)).Select(message => message.Envelope.MessageId!));
        Assert.Equal(Enumerable.Range(0, Messages).Select(n => $"{n}").Order(), sent.Order());
        Assert.Equal(0u, await pile.CountAsync(pile.Dead));
        if (orderBy.Length > 0)
            Pile.AreInLine(sent.Select(int.Parse));

        // Taken, but in no transaction yet, are what it has in its hands.
        async Task<bool> HasTakenAsync(int count) => Messages - sent.Count - await pile.CountAsync(pile.Dead) >= count;

        // On a busy machine each life before the last may have been over before its first transaction.
        async Task<bool> HasSentAsync() => sent.Count > 0 || await pile.CountAsync(pile.Queue) > 0;
    }
}
