using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Prometheus;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class HeadTests
{
    [Fact]
    public async Task Who_asks_for_the_head_of_the_metrics_alone_has_seen_no_misses_and_is_not_waited_for()
    {
        var engine = new FakeEngine();
        using var host = new HostBuilder()
            .ConfigureWebHost(web => web.UseTestServer().Configure(app => app.UseManagement()))
            .ConfigureServices(services =>
            {
                services.AddManagement(Reading.Read("Worker__StatusPage=false"));
                services.AddSingleton<IEngine>(engine).AddSingleton<HoldfastMeter>().AddSingleton<LastScrape>();
            })
            .Build();
        await host.StartAsync(TestContext.Current.CancellationToken);

        foreach (var _ in (int[])[1, 2])
            await HeadAsync(host.GetTestClient());
        engine.Status = engine.Status with { Queues = [FakeEngine.Orders with { Misses = 1 }] };

        Assert.True(host.Services.GetRequiredService<LastScrape>().StopAsync(CancellationToken.None).IsCompletedSuccessfully);
    }

    // To its end, after which it would have counted.
    private static async Task HeadAsync(HttpClient client)
    {
        using var answer = await client.SendAsync(new HttpRequestMessage(HttpMethod.Head, "/metrics"));
        answer.EnsureSuccessStatusCode();
        await answer.Content.ReadAsByteArrayAsync();
    }
}
