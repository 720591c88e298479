using System.Net;
using System.Net.Http.Headers;
using System.Text.Json;
using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Status;

public sealed class StatusPageTests : IAsyncDisposable
{
    private readonly FakeEngine _engine = new();
    private IHost? _host;

    public async ValueTask DisposeAsync()
    {
        if (_host is null)
            return;
        _engine.EndDrain();
        await _host.StopAsync();
        _host.Dispose();
    }

    [Fact]
    public async Task The_page_asks_nobody_else_and_runs_no_script_but_its_own_files()
    {
        var client = await StartAsync();
        var answer = await client.GetAsync("/");
        var page = await answer.Content.ReadAsStringAsync();

        Assert.Equal("text/html", answer.Content.Headers.ContentType!.MediaType);
        Assert.DoesNotContain("http://", page);
        Assert.DoesNotContain("https://", page);
        var policy = answer.Headers.GetValues("Content-Security-Policy").Single();
        Assert.StartsWith("default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'", policy);
        Assert.DoesNotContain("unsafe", policy);
    }

    [Theory]
    [InlineData("/status/main.mjs", "text/javascript")]
    [InlineData("/status/page.css", "text/css")]
    [InlineData("/status/uplot/uPlot.iife.min.js", "text/javascript")]
    [InlineData("/status/uplot/LICENSE", "text/plain")]
    public async Task Its_files_come_with_it_and_are_not_sent_twice(string path, string type)
    {
        var client = await StartAsync();
        var answer = await client.GetAsync(path);
        Assert.Equal(type, answer.Content.Headers.ContentType!.MediaType);
        Assert.Equal("nosniff", answer.Headers.GetValues("X-Content-Type-Options").Single());
        Assert.DoesNotContain("innerHTML =", path.Contains("uplot") ? "" : await answer.Content.ReadAsStringAsync());

        client.DefaultRequestHeaders.IfNoneMatch.Add(EntityTagHeaderValue.Parse($"{answer.Headers.ETag}"));
        Assert.Equal(HttpStatusCode.NotModified, (await client.GetAsync(path)).StatusCode);
    }

    [Fact]
    public async Task A_page_and_what_is_told_to_it_name_the_page_alike()
    {
        var client = await StartAsync();
        using var events = new StreamReader(await client.GetStreamAsync("/status/events"));
        using var whole = JsonDocument.Parse((await DataAsync(events, "whole"))["data: ".Length..]);
        var edition = whole.RootElement.GetProperty("worker").GetProperty("page").GetString();

        Assert.Matches("^[0-9a-f]{32}$", edition);
        Assert.Contains($"<html lang=\"en\" data-edition=\"{edition}\">", await client.GetStringAsync("/"));
    }

    [Fact]
    public async Task The_figures_are_there_for_scripts_too()
    {
        _engine.Hold(FakeEngine.Lease(7, "order-7"));
        _engine.LastMisses = [new(new DateTimeOffset(2026, 1, 1, 0, 0, 0, default), "orders", "order-6", 2, "expired", TimeSpan.FromSeconds(30), "0af7")];
        using var report = JsonDocument.Parse(await (await StartAsync()).GetStringAsync("/status"));
        var (engine, lease, miss) = (report.RootElement.GetProperty("engine"), report.RootElement.GetProperty("leases").GetProperty("listed")[0], report.RootElement.GetProperty("lastMisses")[0]);

        Assert.Equal(Environment.MachineName, report.RootElement.GetProperty("host").GetString());
        Assert.Equal("Demo", report.RootElement.GetProperty("handler").GetString());
        Assert.Equal("Running", engine.GetProperty("state").GetString());
        Assert.Equal(14.2, engine.GetProperty("queues")[0].GetProperty("leastMargin").GetDouble());
        Assert.Equal(("order-7", "Awaiting"), (lease.GetProperty("messageId").GetString(), lease.GetProperty("state").GetString()));
        Assert.Equal(("order-6", "0af7"), (miss.GetProperty("messageId").GetString(), miss.GetProperty("traceId").GetString()));
    }

    [Fact]
    public async Task Viewers_see_the_stop_and_then_their_stream_ends()
    {
        var client = await StartAsync();
        using var events = new StreamReader(await client.GetStreamAsync("/status/events"));
        Assert.Contains("\"state\":\"Running\"", await DataAsync(events, "whole"));

        var stop = _host!.StopAsync();
        await _engine.Draining.Task;
        while (!(await DataAsync(events, "change")).Contains("\"state\":\"Draining\"", StringComparison.Ordinal))
        {
        }

        _engine.Status = _engine.Status with { State = EngineState.Stopped };
        _engine.EndDrain();
        Assert.Contains("\"state\":\"Stopped\"", await events.ReadToEndAsync());
        await stop;
    }

    [Fact]
    public async Task Switched_off_it_says_so_in_a_line_and_tells_nothing_else()
    {
        var client = await StartAsync("Worker__StatusPage=false");
        foreach (var path in (string[])["/", "/status", "/status/events"])
        {
            var answer = await client.GetAsync(path);
            Assert.Equal((HttpStatusCode.NotFound, "text/plain"), (answer.StatusCode, answer.Content.Headers.ContentType!.MediaType));
            Assert.Equal("The status page is off (Worker__StatusPage=false). There are /metrics and /health/ready.\n", await answer.Content.ReadAsStringAsync());
        }

        Assert.Equal(HttpStatusCode.NotFound, (await client.GetAsync("/status/main.mjs")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("/health/ready")).StatusCode);
    }

    [Fact]
    public async Task No_secret_of_the_settings_is_to_be_seen_anywhere()
    {
        const string Secret = "s3cr3t";
        var client = await StartAsync(
            "Worker__Broker=RabbitMq",
            "Worker__Handler=Demo",
            $"ConnectionStrings__RabbitMq=amqp://someone:{Secret}@rabbit.example:5672/",
            $"ConnectionStrings__ServiceBus=Endpoint=sb://bus.example/;SharedAccessKeyName=root;SharedAccessKey={Secret}",
            $"Worker__RabbitMq__ManagementUri=http://someone:{Secret}@rabbit.example:15672");
        using var events = new StreamReader(await client.GetStreamAsync("/status/events"));
        var shown = await DataAsync(events, "whole") + await client.GetStringAsync("/status") + await client.GetStringAsync("/");

        Assert.DoesNotContain(Secret, shown);
        Assert.Contains("rabbit.example", shown);
        Assert.Contains("{\"name\":\"Worker__RabbitMq__ManagementUri\",\"value\":\"set, not shown\"}", shown);
    }

    private async Task<HttpClient> StartAsync(params string[] settings)
    {
        _host = new HostBuilder()
            .ConfigureWebHost(web => web.UseTestServer().Configure(app => app.UseManagement()))
            .ConfigureServices(services =>
            {
                services.AddManagement(Reading.Read(settings));
                services.AddSingleton<IEngine>(_engine);
                services.AddHostedService(_ => _engine);
            })
            .Build();
        await _host.StartAsync();
        return _host.GetTestClient();
    }

    private static async Task<string> DataAsync(StreamReader events, string name)
    {
        while (await events.ReadLineAsync() is { } line)
        {
            if (line == $"event: {name}")
                return (await events.ReadLineAsync())!;
        }

        throw new InvalidOperationException($"The stream ended without '{name}'.");
    }
}
