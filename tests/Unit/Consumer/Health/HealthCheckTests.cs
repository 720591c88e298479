using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class HealthCheckTests
{
    [Theory]
    [InlineData("startup", HealthStatus.Healthy, "started")]
    [InlineData("live", HealthStatus.Healthy, "alive")]
    [InlineData("ready", HealthStatus.Unhealthy, "orders is not connected: refused")]
    public async Task Each_question_is_a_check_that_can_be_asked_by_itself(string question, HealthStatus health, string reason)
    {
        var engine = new FakeEngine();
        engine.Status = engine.Status with { Queues = [FakeEngine.Orders with { IsConnected = false, Problem = "refused" }] };
        await using var services = new ServiceCollection().AddLogging().AddSingleton<IEngine>(engine).AddHealthChecks().AddHoldfast().Services.BuildServiceProvider();

        var report = await services.GetRequiredService<HealthCheckService>().CheckHealthAsync(check => check.Tags.Contains(question));

        var (name, answer) = Assert.Single(report.Entries);
        Assert.Equal(($"holdfast-{question}", health, reason), (name, answer.Status, answer.Description));
    }

    [Fact]
    public async Task A_library_and_its_host_may_both_add_them()
    {
        await using var services = new ServiceCollection().AddLogging().AddSingleton<IEngine>(new FakeEngine())
            .AddHealthChecks().AddHoldfast().Services.AddHealthChecks().AddHoldfast().Services.BuildServiceProvider();

        var report = await services.GetRequiredService<HealthCheckService>().CheckHealthAsync();

        Assert.Equal(["holdfast-live", "holdfast-ready", "holdfast-startup"], report.Entries.Keys.Order());
    }

    [Fact]
    public async Task Where_there_is_no_engine_that_is_told_with_its_cure()
    {
        await using var services = new ServiceCollection().AddLogging().AddHoldfastSenders(_ => new InMemoryBroker())
            .AddHealthChecks().AddHoldfast().Services.BuildServiceProvider();

        var refusal = await Assert.ThrowsAsync<InvalidOperationException>(() => services.GetRequiredService<HealthCheckService>().CheckHealthAsync());

        Assert.Contains("call AddHoldfast on the host's services, or leave", refusal.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task A_host_is_ready_between_its_start_and_its_stop()
    {
        var handled = new TaskCompletionSource();
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.ClearProviders();
        builder.Services.AddHoldfast(options => options.Threads = 1).UseBroker(_ => new InMemoryBroker()).Handle("orders", (_, _) =>
        {
            handled.SetResult();
            return new(Settlement.Complete);
        });
        builder.Services.AddHealthChecks().AddHoldfast();
        using var host = builder.Build();

        var before = await ReadyAsync(host);
        await host.StartAsync();
        await host.Services.GetRequiredService<Senders>().SendAsync("orders", new Message { Id = "a" });
        await handled.Task.WaitAsync(TimeSpan.FromSeconds(30));
        var meanwhile = await ReadyAsync(host);
        await host.StopAsync();

        Assert.Equal(("starting", "ready", "stopped"), (before, meanwhile, await ReadyAsync(host)));
    }

    private static async Task<string?> ReadyAsync(IHost host)
    {
        var report = await host.Services.GetRequiredService<HealthCheckService>().CheckHealthAsync();
        return report.Entries["holdfast-ready"].Description;
    }
}
