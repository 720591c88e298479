using System.Collections.Concurrent;
using System.Security.Cryptography.X509Certificates;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The Http handler and endpoints that keep the rules.</summary>
public sealed class HttpHandlerTests
{
    [Theory]
    [InlineData(HttpProtocols.Http1, "HTTP/1.1")]
    [InlineData(HttpProtocols.Http2, "HTTP/2")]
    public async Task A_message_arrives_as_it_is_and_what_is_known_of_it_in_headers(HttpProtocols protocols, string protocol)
    {
        await using var endpoint = await WebEndpoint.StartAsync(204, protocols: protocols);
        var message = new Message { Id = "Zürich 1", Body = "{}"u8.ToArray(), ContentType = "application/json", ContentEncoding = "gzip, UTF-8", Properties = new Dictionary<string, object?> { ["region"] = "Nord-Süd" } };

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, message, options => options.Http2 = protocols == HttpProtocols.Http2));

        var posted = Assert.Single(endpoint.Posted);
        Assert.Equal((protocol, "{}"), (posted.Protocol, System.Text.Encoding.UTF8.GetString(posted.Body)));
        Assert.Equal(("application/json", "2"), (posted.Headers["Content-Type"], posted.Headers["Content-Length"]));
        Assert.Equal(("gzip", "utf-8"), (posted.Headers["Content-Encoding"], posted.Headers["Holdfast-Content-Encoding"]));
        Assert.Equal(("Z%C3%BCrich%201", "orders", "1"), (posted.Headers["ce-id"], posted.Headers["Holdfast-Queue"], posted.Headers["Holdfast-Attempt"]));
        Assert.Equal("""{"region":"Nord-S\u00FCd"}""", posted.Headers["Holdfast-Properties"]);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(10_000_000)]
    public async Task A_body_may_be_empty_or_large(int length)
    {
        await using var endpoint = await WebEndpoint.StartAsync(200);

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, new Message { Id = "a", Body = new byte[length] }));
        Assert.Equal(length, Assert.Single(endpoint.Posted).Body.Length);
    }

    [Theory]
    [InlineData(200)]
    [InlineData(404)]
    public async Task Connections_are_used_again_whatever_the_answer_was(int status)
    {
        await using var endpoint = await WebEndpoint.StartAsync(status, new string('x', 5_000));
        using var connections = new OpenConnections(endpoint.Url);
        using var handler = Posting.Handler(endpoint.Url);

        // What is not read of an answer is taken in behind its message's back: the next one would have another connection if it came before that.
        for (var i = 0; i < 10; i++)
        {
            await handler.PostAsync();
            await Eventually.HoldsAsync("the connection to be idle", () => connections.Idle == 1);
        }

        Assert.Single(endpoint.Posted.Select(posted => posted.Connection).Distinct());
    }

    [Fact]
    public async Task Where_a_large_body_may_not_be_announced_it_is_sent_without()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.StatusCode = context.Request.Headers.Expect.Count > 0 ? 417 : 200;
            return Task.CompletedTask;
        });

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, new Message { Id = "a", Body = new byte[2 << 20] }));
        Assert.Equal(2 << 20, endpoint.Posted[^1].Body.Length);
        Assert.Equal([true, false], endpoint.Posted.Select(posted => posted.Headers.ContainsKey("Expect")));
    }

    [Fact]
    public async Task No_cookie_goes_from_one_message_to_the_next()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.Cookies.Append("session", "1");
            return Task.CompletedTask;
        });
        using var handler = Posting.Handler(endpoint.Url);

        await handler.PostAsync();
        await handler.PostAsync();

        Assert.All(endpoint.Posted, posted => Assert.DoesNotContain("Cookie", posted.Headers.Keys));
    }

    [Fact]
    public async Task A_connection_on_which_an_answer_is_long_in_coming_is_kept_alive()
    {
        var untilProbe = double.NaN;
        await using var endpoint = await WebEndpoint.StartAsync(async context =>
        {
            // A timer of another kind may run at first, for the request's own acknowledgement.
            await Eventually.HoldsAsync("the connection to have a timer for its next probe", () => SecondsUntilProbe(context.Connection.RemotePort) is { } seconds && (untilProbe = seconds) >= 0);
        });

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url));

        Assert.InRange(untilProbe, 0, 15);
    }

    [Theory]
    [InlineData("120", 120, 120)]
    [InlineData("Thu, 01 Jan 1970 00:00:00 GMT", 1, 1)]
    [InlineData("2147483648", 600, 600)]
    [InlineData("99999999999999999999999", 600, 600)]
    [InlineData("Fri, 31 Dec 9999 23:59:59 GMT", 600, 600)]
    public async Task An_endpoint_says_when_to_come_again_in_seconds_or_by_a_date(string retryAfter, int least, int most)
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.StatusCode = 503;
            context.Response.Headers.RetryAfter = retryAfter;
            return Task.CompletedTask;
        });

        var settlement = await Posting.PostAsync(endpoint.Url);

        Assert.Equal(SettlementKind.Delay, settlement.Kind);
        Assert.InRange(settlement.Wait, TimeSpan.FromSeconds(least), TimeSpan.FromSeconds(most));
    }

    [Fact]
    public async Task A_date_to_come_again_is_by_the_endpoint_s_clock()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            var slow = DateTimeOffset.UtcNow.AddSeconds(-120);
            context.Response.StatusCode = 503;
            context.Response.Headers.Date = slow.ToString("R");
            context.Response.Headers.RetryAfter = slow.AddSeconds(60).ToString("R");
            return Task.CompletedTask;
        });

        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(60)), await Posting.PostAsync(endpoint.Url));
    }

    [Fact]
    public async Task An_endpoint_that_says_nothing_sensible_of_when_to_come_again_is_left_to_the_policy()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.StatusCode = 429;
            context.Response.Headers.RetryAfter = "soon";
            return Task.CompletedTask;
        });

        Assert.Equal($"{endpoint.Url} answered 429 Too Many Requests", await Posting.FailureAsync(endpoint.Url));
    }

    [Fact]
    public async Task A_refusal_is_quoted_in_one_bounded_line_without_what_moves_a_cursor()
    {
        await using var endpoint = await WebEndpoint.StartAsync(422, "no such\r\n\u001b[31mcustomer: Zürich " + new string('x', 5_000));

        var settlement = await Posting.PostAsync(endpoint.Url);

        Assert.Equal("http_422", settlement.Reason);
        Assert.StartsWith($"{endpoint.Url} answered 422 Unprocessable Entity: no such \\u001b[31mcustomer: Zürich xxx", settlement.Description);
        Assert.InRange(settlement.Description!.Length, 1_000, 1_200);
    }

    [Fact]
    public async Task A_refusal_that_is_no_text_is_told_by_its_type()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.StatusCode = 400;
            context.Response.ContentType = "image/png";
            return context.Response.Body.WriteAsync(new byte[100]).AsTask();
        });

        Assert.Equal(Settlement.DeadLetter("http_400", $"{endpoint.Url} answered 400 Bad Request: (image/png)"), await Posting.PostAsync(endpoint.Url));
    }

    [Fact]
    public async Task A_certificate_of_an_authority_of_one_s_own_is_trusted_when_that_is_named_and_only_then()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-http-");
        try
        {
            var files = Certificates.Make(folder.FullName);
            using var certificate = X509Certificate2.CreateFromPemFile(files.ServerFile, files.ServerKeyFile);
            await using var endpoint = await WebEndpoint.StartAsync(_ => Task.CompletedTask, certificate: () => certificate);

            Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, configure: options => options.CaFile = files.CaFile));
            foreach (var other in new[] { null, files.StrangerCaFile })
            {
                var failure = await Posting.FailureAsync(endpoint.Url, configure: options => options.CaFile = other);
                Assert.StartsWith($"{endpoint.Url} can't be trusted: ", failure);
                Assert.EndsWith(" Set Worker__Http__CaFile to the authority that signed its certificate.", failure);
            }
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task A_certificate_that_names_another_host_is_not_cured_by_an_authority()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-http-");
        try
        {
            var files = Certificates.Make(folder.FullName);
            using var certificate = X509Certificate2.CreateFromPemFile(files.ClientFile, files.ClientKeyFile);
            await using var endpoint = await WebEndpoint.StartAsync(_ => Task.CompletedTask, certificate: () => certificate);
            var url = endpoint.Url.Replace("127.0.0.1", "localhost");

            Assert.Equal(
                $"{url} can't be trusted: certificate names another host. Set in Worker__Http__Url a host that the certificate names.",
                await Posting.FailureAsync(url, configure: options => options.CaFile = files.CaFile));
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task An_authority_that_is_replaced_in_its_file_is_trusted_from_the_next_connection_on()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-http-");
        try
        {
            var files = Certificates.Make(folder.FullName);
            await using var endpoint = await WebEndpoint.StartAsync(
                context =>
                {
                    context.Response.Headers.Connection = "close";
                    return Task.CompletedTask;
                },
                certificate: () => X509Certificate2.CreateFromPemFile(files.ServerFile, files.ServerKeyFile));
            using var handler = Posting.Handler(endpoint.Url, options => options.CaFile = files.CaFile);

            Assert.Equal(Settlement.Complete, await handler.PostAsync());
            Certificates.Make(folder.FullName);
            Assert.Equal(Settlement.Complete, await handler.PostAsync());
            File.Copy(files.StrangerCaFile, files.CaFile, overwrite: true);
            await Assert.ThrowsAsync<EndpointException>(() => handler.PostAsync());
            File.Delete(files.CaFile);
            var failure = await Assert.ThrowsAsync<EndpointException>(() => handler.PostAsync());

            Assert.StartsWith($"{endpoint.Url} can't be trusted: ", failure.Message);
            Assert.Contains(files.CaFile, failure.Message);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }

    [Fact]
    public async Task What_comes_after_the_answer_comes_back_to_where_the_handler_was_called()
    {
        // An answer that is there before anybody waits for it needs no way back.
        var isAwaited = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        await using var endpoint = await WebEndpoint.StartAsync(async context =>
        {
            await isAwaited.Task;
            context.Response.StatusCode = 404;
        });
        using var handler = Posting.Handler(endpoint.Url);
        var lane = new Lane();
        SynchronizationContext.SetSynchronizationContext(lane);
        var handling = handler.HandleAsync(new HeldMessage("orders", new Message { Id = "a" }), default).AsTask();
        SynchronizationContext.SetSynchronizationContext(null);
        isAwaited.SetResult();

        while (!handling.IsCompleted)
            lane.RunNext();

        Assert.Equal("http_404", (await handling).Reason);
        Assert.True(lane.Turns > 0);
    }

    // What Linux tells of an established connection: which timer runs (2: keepalive), and for how many hundredths of a second.
    // It tells of all in parts, and one that is there may be left out while others come and go.
    private static double? SecondsUntilProbe(int port)
    {
        var timer = File.ReadLines("/proc/net/tcp").Concat(File.ReadLines("/proc/net/tcp6"))
            .Select(line => line.Split(' ', StringSplitOptions.RemoveEmptyEntries))
            .FirstOrDefault(fields => fields[1].EndsWith($":{port:X4}", StringComparison.Ordinal) && fields[3] == "01")?[5];
        return timer?.StartsWith("02:", StringComparison.Ordinal) == true ? Convert.ToInt64(timer[3..], 16) / 100.0 : null;
    }

    /// <summary>Keeps what is to go on until this thread comes for it; whatever completed elsewhere would leave it waiting for ever.</summary>
    private sealed class Lane : SynchronizationContext
    {
        private readonly BlockingCollection<(SendOrPostCallback Callback, object? State)> _posted = [];

        public int Turns { get; private set; }

        public override void Post(SendOrPostCallback d, object? state) => _posted.Add((d, state));

        public void RunNext()
        {
            Assert.True(_posted.TryTake(out var next, TimeSpan.FromSeconds(30)), "Nothing came back.");
            Turns++;
            SetSynchronizationContext(this);
            next.Callback(next.State);
            SetSynchronizationContext(null);
        }
    }
}
