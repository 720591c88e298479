using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Integration;

/// <summary>Workers that are killed at random moments.</summary>
public sealed class KillTests : IClassFixture<VirtualHost>, IDisposable
{
    private const int Kills = 4;
    private const int Messages = 1500;

    private readonly VirtualHost _vhost;
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-kill-").FullName;

    public KillTests(VirtualHost vhost)
    {
        vhost.Server.IsNeeded();
        _vhost = vhost;
    }

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task Whatever_a_killed_worker_had_in_hand_is_handled_by_the_next_one_and_nothing_else_twice(QueueType type)
    {
        var seed = Environment.GetEnvironmentVariable("TEST_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"TEST_SEED={seed}");
        var dice = new Random(seed);
        var (queue, sent) = (_vhost.NewQueue(), Enumerable.Range(0, Messages).Select(n => $"{n}").ToArray());
        await using var broker = _vhost.NewBroker(type);
        await broker.SendAsync(queue, sent);

        for (var life = 0; life < Kills; life++)
            await LiveAsync(type, queue, sent, life, killAfter: dice.Next(1, Messages / Kills / 2), linger: dice.Next(40));
        await LiveAsync(type, queue, sent, Kills, killAfter: null, linger: 0);

        Journal.AccountsFor(sent, [.. Enumerable.Range(0, Kills + 1).Select(PathOf)], mostAgain: 2 * Victim.MaxConcurrency);
        await LiesAsideAsync(broker, queue, sent);
    }

    // A killed one dies when so many messages were ended, and a few milliseconds more; the last one goes on to the end.
    private async Task LiveAsync(QueueType type, string queue, string[] sent, int life, int? killAfter, int linger)
    {
        using var worker = Victim.Start(_vhost.Uri, type, queue, PathOf(life));
        try
        {
            if (killAfter is { } count)
            {
                await Eventually.HoldsAsync("the worker to work", () => Journal.Read(PathOf(life)).Ended.Length >= count || worker.HasExited);
                await Task.Delay(linger);
                Assert.False(worker.HasExited);
            }
            else
            {
                await Eventually.HoldsAsync("the last worker to do the rest", () => EndedIn(life + 1).IsSupersetOf(sent) || worker.HasExited);
                worker.StandardInput.Close();
                await worker.WaitForExitAsync();
                Assert.Equal(0, worker.ExitCode);
            }
        }
        finally
        {
            worker.Kill();
            await worker.WaitForExitAsync();
        }
    }

    private async Task LiesAsideAsync(RabbitMqBroker broker, string queue, string[] sent)
    {
        await using var dead = await broker.OpenReceiverAsync(queue + ".dead", default);
        var aside = new HashSet<string>();
        var wanted = sent.Where(id => id.EndsWith('7')).ToHashSet();
        while (aside.Count < wanted.Count)
        {
            var letter = await dead.TakeAsync();
            aside.Add(letter.Message.Id);
            await dead.CompleteAsync(letter);
        }

        Assert.Equal(wanted.Order(), aside.Order());
        await _vhost.NothingIsLeftAsync(queue, dead, broker);
        await _vhost.NothingIsLeftAsync(queue + ".dead");
    }

    private HashSet<string> EndedIn(int lives) => [.. Enumerable.Range(0, lives).SelectMany(life => Journal.Read(PathOf(life)).Ended)];

    private string PathOf(int life) => Path.Combine(_folder, $"life-{life}");
}
