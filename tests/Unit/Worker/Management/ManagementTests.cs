using System.IO.Compression;
using System.Net;
using Holdfast.Consumer;
using Holdfast.Tests.Unit.Worker.Prometheus;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Management;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Management;

public sealed class ManagementTests : IAsyncLifetime
{
    private readonly FakeEngine _engine = new();
    private readonly IHost _host;
    private HttpClient _client = null!;

    public ManagementTests() =>
        _host = new HostBuilder()
            .ConfigureWebHost(web => web.UseTestServer().Configure(app => app.UseManagement()))
            .ConfigureServices(services =>
            {
                services.AddManagement(WorkerSettings.Read(new ConfigurationBuilder().Build()));
                services.AddSingleton<IEngine>(_engine);
                services.AddHostedService(_ => _engine);
            })
            .Build();

    public async ValueTask InitializeAsync()
    {
        await _host.StartAsync();
        _client = _host.GetTestClient();
    }

    public async ValueTask DisposeAsync()
    {
        _engine.EndDrain();
        await _host.StopAsync();
        _host.Dispose();
    }

    [Theory]
    [InlineData("/health/startup", "started")]
    [InlineData("/health/live", "alive")]
    [InlineData("/health/ready", "ready")]
    public async Task A_worker_that_is_well_says_so(string path, string reason)
    {
        var answer = await _client.GetAsync(path);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Equal($$"""{"healthy":true,"reason":"{{reason}}"}""", await answer.Content.ReadAsStringAsync());
    }

    [Theory]
    [InlineData("/health/startup")]
    [InlineData("/health/live")]
    [InlineData("/health/ready")]
    public async Task A_worker_that_is_not_says_why(string path)
    {
        _engine.Status = _engine.Status with { Fault = "the lease loop crashed" };

        var answer = await _client.GetAsync(path);

        Assert.Equal(HttpStatusCode.ServiceUnavailable, answer.StatusCode);
        Assert.Equal("""{"healthy":false,"reason":"the lease loop crashed"}""", await answer.Content.ReadAsStringAsync());
    }

    [Theory]
    [InlineData("/health/live")]
    [InlineData("/")]
    [InlineData("/status")]
    [InlineData("/status/page.css")]
    [InlineData("/metrics")]
    public async Task Whether_something_is_there_can_be_asked_for_alone(string path)
    {
        var answer = await _client.SendAsync(new HttpRequestMessage(HttpMethod.Head, path));

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Fact]
    public async Task Metrics_and_health_stay_up_until_the_drain_is_over()
    {
        var stop = _host.StopAsync();
        await _engine.Draining.Task;

        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync("/metrics")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await _client.GetAsync("/health/live")).StatusCode);
        Assert.Equal("""{"healthy":false,"reason":"draining"}""", await (await _client.GetAsync("/health/ready")).Content.ReadAsStringAsync());
        Assert.False(stop.IsCompleted);

        _engine.EndDrain();
        await stop;
    }

    [Fact]
    public async Task Metrics_come_as_the_scraper_asks()
    {
        var text = await _client.GetAsync("/metrics");
        Assert.Empty(text.Content.Headers.ContentEncoding);
        Assert.Equal("text/plain; version=0.0.4; charset=utf-8", text.Content.Headers.GetValues("Content-Type").Single());
        var written = await text.Content.ReadAsStringAsync();
        ExpositionCheck.Passes(written, isOpen: false);
        Assert.Contains($"service_name=\"holdfast\",service_version=\"{Product.Version}\"", written);

        _client.DefaultRequestHeaders.Add("Accept", "application/openmetrics-text;version=1.0.0");
        var open = await _client.GetAsync("/metrics");
        Assert.Equal("application/openmetrics-text; version=1.0.0; charset=utf-8", open.Content.Headers.GetValues("Content-Type").Single());
        ExpositionCheck.Passes(await open.Content.ReadAsStringAsync(), isOpen: true);
    }

    [Theory]
    [InlineData("text/plain;version=0.0.4", false)]
    [InlineData("application/openmetrics-text;version=1.0.0", true)]
    public async Task Metrics_are_packed_for_who_takes_them_so(string format, bool isOpen)
    {
        var answer = await _client.SendAsync(AskPacked(HttpMethod.Get, "/metrics", format));

        Assert.Equal(["gzip"], answer.Content.Headers.ContentEncoding);
        Assert.Equal(["Accept", "Accept-Encoding"], answer.Headers.Vary);
        using var text = new StreamReader(new GZipStream(await answer.Content.ReadAsStreamAsync(), CompressionMode.Decompress));
        ExpositionCheck.Passes(await text.ReadToEndAsync(), isOpen);
    }

    [Fact]
    public async Task Whether_packed_metrics_are_there_can_be_asked_for_alone()
    {
        var answer = await _client.SendAsync(AskPacked(HttpMethod.Head, "/metrics", "*/*"));

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    [Theory]
    [InlineData("/")]
    [InlineData("/status")]
    [InlineData("/status/uplot/LICENSE")]
    [InlineData("/status/events")]
    [InlineData("/health/live")]
    public async Task Nothing_else_is_packed(string path)
    {
        var answer = await _client.SendAsync(AskPacked(HttpMethod.Get, path, "*/*"), HttpCompletionOption.ResponseHeadersRead);

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
        Assert.Empty(answer.Content.Headers.ContentEncoding);
    }

    private static HttpRequestMessage AskPacked(HttpMethod method, string path, string format) =>
        new(method, path) { Headers = { { "Accept", format }, { "Accept-Encoding", "gzip" } } };
}
