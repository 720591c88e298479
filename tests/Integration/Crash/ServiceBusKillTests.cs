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

        // Locks of several lives may end in the last one.
        Journal.AccountsFor(sent, [.. Enumerable.Range(0, Kills + 1).Select(PathOf)], mostAgain: 2 * Victim.MaxConcurrency * Kills);
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

    private string PathOf(int life) => Path.Combine(_folder, $"life-{life}");
}
