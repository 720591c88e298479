using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Virtual;
using Holdfast.Worker.Otlp;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry;

namespace Holdfast.Tests.Unit.Worker.Otlp;

/// <summary>By the SDK's own exporter, and collectors that take nothing: which words it has for that is for it to say.</summary>
[Collection(nameof(Alone))]
public sealed class ExportFailuresTests
{
    [Theory]
    [InlineData("grpc")]
    [InlineData("http/protobuf")]
    public void A_connection_that_is_refused_is_told_with_its_address(string protocol)
    {
        using var closed = new TcpListener(IPAddress.Loopback, 0);
        closed.Start();
        var address = closed.LocalEndpoint;
        closed.Stop();

        Assert.Equal($"Connection refused ({address})", WhyNotTaken($"http://{address}", protocol));
        Assert.Null(ExportFailures.Take());
    }

    [Fact]
    public async Task A_status_is_told_as_it_is_and_never_what_was_sent()
    {
        await using var collector = await StartAsync(HttpProtocols.Http1, answer => answer.StatusCode = 401);

        Assert.Equal("Response status code does not indicate success: 401 (Unauthorized).", WhyNotTaken(AddressOf(collector), "http/protobuf"));
    }

    [Fact]
    public async Task Over_gRPC_the_collector_s_own_words_are_told()
    {
        await using var collector = await StartAsync(HttpProtocols.Http2, answer =>
        {
            answer.ContentType = "application/grpc";
            answer.Headers["grpc-status"] = "16";
            answer.Headers["grpc-message"] = "no%20token";
        });

        Assert.Equal("""Status(StatusCode="Unauthenticated", Detail="no token")""", WhyNotTaken(AddressOf(collector), "grpc"));
    }

    [Fact]
    public async Task The_cause_is_told_where_the_failure_itself_says_little()
    {
        await using var collector = await StartAsync(HttpProtocols.Http1, _ => { });

        Assert.Equal(
            "The SSL connection could not be established, see inner exception. Cannot determine the frame size or a corrupted frame was received.",
            WhyNotTaken(AddressOf(collector).Replace("http:", "https:", StringComparison.Ordinal), "http/protobuf"));
    }

    private static string? WhyNotTaken(string address, string protocol)
    {
        var settings = Reading.Read($"OTEL_EXPORTER_OTLP_ENDPOINT={address}", $"OTEL_EXPORTER_OTLP_PROTOCOL={protocol}").Otel;
        var (log, time) = (new Notes<OtlpExport>(), new VirtualTime());
        using var failures = new ExportFailures();
        using var exporter = new WatchedTraceExporter(settings.Traces!, new SpanBacklog(1, log, time), log, time);
        using var activity = new Activity("work").Start();

        exporter.Export(new Batch<Activity>([activity], 1));

        var line = Assert.Single(log.Lines);
        var told = line[(line.IndexOf('(', StringComparison.Ordinal) + 1)..];
        return told[..told.LastIndexOf("); what", StringComparison.Ordinal)];
    }

    private static async Task<WebApplication> StartAsync(HttpProtocols protocols, Action<HttpResponse> answer)
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.Logging.ClearProviders();
        builder.WebHost.ConfigureKestrel(kestrel => kestrel.Listen(IPAddress.Loopback, 0, port => port.Protocols = protocols));
        var collector = builder.Build();
        collector.Run(context =>
        {
            answer(context.Response);
            return Task.CompletedTask;
        });
        await collector.StartAsync(TestContext.Current.CancellationToken);
        return collector;
    }

    private static string AddressOf(WebApplication collector) =>
        collector.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single();
}
