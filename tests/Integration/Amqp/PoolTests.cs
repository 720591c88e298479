using System.Diagnostics;

namespace Holdfast.Tests.Integration;

public sealed class PoolTests
{
    [Fact]
    public async Task A_connection_lives_while_every_thread_of_the_pool_is_blocked()
    {
        RabbitServer.Need(AmqpPeer.WhyNoRhea);
        await using var peer = await AmqpPeer.StartRheaAsync("--idle-time-out", "1000");
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Tests.Integration.dll"), PoolVictim.Verb, $"{peer.Port}"])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        using var victim = Process.Start(start)!;
        var error = victim.StandardError.ReadToEndAsync();
        var output = await victim.StandardOutput.ReadToEndAsync();
        await victim.WaitForExitAsync();
        Assert.True(victim.ExitCode == 0, await error);
        Assert.EndsWith("there and back", output.Trim());
    }
}
