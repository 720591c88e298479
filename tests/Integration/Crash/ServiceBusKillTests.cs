using Holdfast.Tests.Integration.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration;

/// <summary>Workers on Service Bus that are killed at random moments.</summary>
public sealed class ServiceBusKillTests : IDisposable
{
    private const int Kills = 4;
    private const int Messages = 1000;

    // So long that no worker that lives loses one; what a killed one had is let go by moving the broker's clock.
    private static readonly TimeSpan s_lock = TimeSpan.FromMinutes(1);

    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-kill-").FullName;

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task Whatever_a_killed_worker_had_in_hand_is_handled_by_the_next_one_and_nothing_else_twice()
    {
        var seed = Environment.GetEnvironmentVariable("TEST_SEED") is { } given ? int.Parse(given) : Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine($"TEST_SEED={seed}");
        var dice = new Random(seed);
        await using var server = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = s_lock, MaxDeliveryCount = Kills + 2 });
        var sent = Enumerable.Range(0, Messages).Select(n => $"{n}").ToArray();
        await using (var broker = server.NewBroker())
            await broker.SendAsync(PrivateNamespace.Queue, sent);

        for (var life = 0; life < Kills; life++)
        {
            await LiveAsync(server, life, async worker =>
            {
                var count = dice.Next(1, Messages / Kills / 2);
                await Eventually.HoldsAsync("the worker to work", () => Journal.Read(PathOf(life)).Ended.Length >= count || worker.HasExited);
                await Task.Delay(dice.Next(40));
                Assert.False(worker.HasExited);
            });
            await server.Control.AdvanceAsync(s_lock);
        }

        await LiveAsync(server, Kills, async worker =>
        {
            await Eventually.HoldsAsync("the last worker to do the rest", async () => worker.HasExited || await server.Control.CountsAsync(PrivateNamespace.Queue) is { Active: 0, Locked: 0 });
            worker.StandardInput.Close();
            await worker.WaitForExitAsync();
            Assert.Equal(0, worker.ExitCode);
        });

        Check(sent, [.. Enumerable.Range(0, Kills + 1).Select(life => Journal.Read(PathOf(life)))]);
        var counts = await server.Control.CountsAsync(PrivateNamespace.Queue);
        Assert.Equal(sent.Count(id => id.EndsWith('7')), counts.DeadLettered);
        Assert.Equal(counts.DeadLettered, counts.Total);
    }

    private async Task LiveAsync(PrivateNamespace server, int life, Func<System.Diagnostics.Process, Task> live)
    {
        using var worker = Victim.StartOnServiceBus(server.Server.ConnectionString(), PrivateNamespace.Queue, PathOf(life));
        try
        {
            await live(worker);
        }
        finally
        {
            worker.Kill();
            await worker.WaitForExitAsync();
        }
    }

    private static void Check(string[] sent, (string[] Begun, string[] Ended)[] lives)
    {
        Assert.Equal(sent.Order(), lives.SelectMany(life => life.Ended).Distinct().Order());

        var earlier = new HashSet<string>();
        foreach (var (begun, ended) in lives)
        {
            // Nothing is lost within a life, so nothing comes twice in it; and from one to the next comes back only what was in hand.
            Assert.Equal(begun.Distinct(), begun);
            Assert.InRange(ended.Count(earlier.Contains), 0, 2 * Victim.MaxConcurrency * Kills);
            earlier.UnionWith(ended);
        }
    }

    private string PathOf(int life) => Path.Combine(_folder, $"life-{life}");
}
