using System.Net;
using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class DrainTests
{
    private static readonly WorkerSettings s_settings = WorkerSettings.Read(new ConfigurationBuilder().Build());

    [Fact]
    public async Task The_port_answers_while_a_handler_is_still_running_after_the_stop()
    {
        var running = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var done = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var broker = new InMemoryBroker();
        using var host = new HostBuilder()
            .ConfigureWebHost(web => web.UseTestServer().Configure(app => app.UseManagement()))
            .ConfigureServices(services =>
            {
                services.AddManagement(s_settings);
                services.AddHoldfast().UseBroker(_ => broker).Handle("orders", async (_, _) =>
                {
                    running.SetResult();
                    await done.Task;
                    return Settlement.Complete;
                });
            })
            .Build();
        await host.StartAsync();
        var client = host.GetTestClient();
        await using (var sender = await broker.OpenSenderAsync("orders", default))
            await sender.SendAsync(new Message { Id = "1" }, TimeSpan.Zero, default);
        await running.Task;

        var stop = host.StopAsync();

        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("/metrics")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("/health/live")).StatusCode);
        Assert.Contains("draining", await (await client.GetAsync("/health/ready")).Content.ReadAsStringAsync());
        Assert.False(stop.IsCompleted);
        done.SetResult();
        await stop;
        Assert.Equal(1, host.Services.GetRequiredService<IEngine>().Status.Queues[0].Completed);
    }
}
