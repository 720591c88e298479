using System.Diagnostics;
using System.Text;
using Holdfast.Worker.Settings;
using Microsoft.AspNetCore.Server.Kestrel.Core;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The Http handler and endpoints that do what none should.</summary>
public sealed class BadEndpointTests
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task One_that_hangs_is_given_up_when_its_time_is_over()
    {
        using var endpoint = new RawEndpoint(stream => stream.ReadExactlyAsync(new byte[1]).AsTask());

        Assert.Equal($"{endpoint.Url} did not answer within 200ms (Worker__Http__Timeout).", await Posting.FailureAsync(endpoint.Url, configure: Hasty));
        await Assert.ThrowsAnyAsync<IOException>(() => endpoint.Serving.WaitAsync(s_tooLong));
    }

    [Fact]
    public async Task One_that_hangs_is_hung_up_on_when_the_message_is_not_ours_any_more()
    {
        var asked = new TaskCompletionSource();
        using var endpoint = new RawEndpoint(async stream =>
        {
            asked.SetResult();
            await stream.ReadExactlyAsync(new byte[1]);
        });
        using var handler = Posting.Handler(endpoint.Url);
        using var lost = new CancellationTokenSource();

        var handling = handler.PostAsync(cancel: lost.Token);
        await asked.Task.WaitAsync(s_tooLong);
        await lost.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => handling);
        await Assert.ThrowsAnyAsync<IOException>(() => endpoint.Serving.WaitAsync(s_tooLong));
    }

    [Fact]
    public async Task One_that_is_not_there_is_named()
    {
        using var closed = new ClosedPort();
        var url = $"http://127.0.0.1:{closed.Number}";

        Assert.Equal($"{url} can't be reached: Connection refused", await Posting.FailureAsync($"{url}/hook?code=s3cr3t"));
    }

    [Fact]
    public async Task One_whose_name_nobody_knows_is_named() =>
        Assert.StartsWith("http://nowhere.invalid can't be reached: ", await Posting.FailureAsync("http://nowhere.invalid/"));

    [Theory]
    [InlineData("")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Le")]
    [InlineData("HELO shop\r\n\r\n")]
    public async Task One_that_closes_before_it_has_answered_broke_off(string text)
    {
        using var endpoint = new RawEndpoint(text);

        var failure = await Posting.FailureAsync(endpoint.Url);

        Assert.StartsWith($"{endpoint.Url} broke off: ", failure);
        Assert.DoesNotContain("\n", failure);
    }

    [Theory]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nfine")]
    [InlineData("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nfine, and more than was said")]
    [InlineData("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nno chunk")]
    public async Task One_that_lies_about_its_answer_has_still_said_that_all_is_well(string text)
    {
        using var endpoint = new RawEndpoint(text);

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url));
    }

    [Fact]
    public async Task Of_one_that_closes_within_its_refusal_what_came_is_told()
    {
        using var endpoint = new RawEndpoint("HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\nno such cust");

        Assert.Equal(Settlement.DeadLetter("http_400", $"{endpoint.Url} answered 400 Bad Request: no such cust"), await Posting.PostAsync(endpoint.Url));
    }

    [Fact]
    public async Task Of_one_that_stops_within_its_refusal_what_came_is_told()
    {
        using var endpoint = new RawEndpoint(async stream =>
        {
            await stream.WriteAsync("HTTP/1.1 400 Bad Request\r\nContent-Length: 1000\r\n\r\nno such cust"u8.ToArray());
            await stream.ReadExactlyAsync(new byte[1]);
        });

        Assert.Equal(Settlement.DeadLetter("http_400", $"{endpoint.Url} answered 400 Bad Request: no such cust"), await Posting.PostAsync(endpoint.Url));
    }

    [Theory]
    [InlineData(200, SettlementKind.Complete)]
    [InlineData(400, SettlementKind.DeadLetter)]
    public async Task One_that_never_ends_its_answer_is_hung_up_on(int status, SettlementKind kind)
    {
        using var endpoint = new RawEndpoint(async stream =>
        {
            await stream.WriteAsync(Encoding.ASCII.GetBytes($"HTTP/1.1 {status} -\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n"));
            while (true)
                await stream.WriteAsync("5\r\nhello\r\n"u8.ToArray());
        });
        using var handler = Posting.Handler(endpoint.Url);

        var settlement = await handler.PostAsync();

        Assert.Equal(kind, settlement.Kind);
        Assert.InRange(settlement.Description?.Length ?? 0, 0, 1_200);
        await Assert.ThrowsAnyAsync<IOException>(() => endpoint.Serving.WaitAsync(s_tooLong));
    }

    [Fact]
    public async Task One_whose_headers_never_end_broke_off()
    {
        using var endpoint = new RawEndpoint(async stream =>
        {
            await stream.WriteAsync("HTTP/1.1 200 OK\r\n"u8.ToArray());
            while (true)
                await stream.WriteAsync(Encoding.ASCII.GetBytes($"X-More: {new string('x', 1_000)}\r\n"));
        });

        Assert.StartsWith($"{endpoint.Url} broke off: ", await Posting.FailureAsync(endpoint.Url));
    }

    [Fact]
    public async Task One_that_leads_round_in_a_circle_is_asked_once()
    {
        await using var endpoint = await WebEndpoint.StartAsync(context =>
        {
            context.Response.Redirect("/round?code=s3cr3t");
            return Task.CompletedTask;
        });

        Assert.Equal(
            $"{endpoint.Url} answered 302 Found. Redirects are not followed; set Worker__Http__Url to where it leads (/round).",
            await Posting.FailureAsync(endpoint.Url));
        Assert.Single(endpoint.Posted);
    }

    [Fact]
    public async Task One_that_leads_elsewhere_with_a_password_has_it_told_without()
    {
        using var endpoint = new RawEndpoint("HTTP/1.1 302 Found\r\nLocation: http://user:s3cr3t@other.example/x?token=s3cr3t\r\nContent-Length: 0\r\n\r\n");

        Assert.EndsWith("where it leads (http://other.example/x).", await Posting.FailureAsync(endpoint.Url));
    }

    [Fact]
    public async Task One_that_refuses_a_large_body_by_its_length_is_not_sent_it()
    {
        using var endpoint = new RawEndpoint("HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");

        Assert.Equal(
            Settlement.DeadLetter("http_413", $"{endpoint.Url} answered 413 Payload Too Large"),
            await Posting.PostAsync(endpoint.Url, new Message { Id = "a", Body = new byte[10_000_000] }));
    }

    [Theory]
    [InlineData(66_000)]
    [InlineData(300_000)]
    [InlineData(1_000_000)]
    public async Task One_that_is_busy_is_heard_though_it_takes_nothing_of_the_body(int length)
    {
        using var endpoint = new RawEndpoint(stream => stream.WriteAsync("HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"u8.ToArray()).AsTask(), isFar: true);

        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(7)), await Posting.PostAsync(endpoint.Url, new Message { Id = "a", Body = new byte[length] }));
    }

    [Fact]
    public async Task One_that_knows_no_announcement_is_sent_the_body_within_less_than_a_second()
    {
        var waits = new List<TimeSpan>();

        // A busy machine may be late for one, or two.
        for (var i = 0; i < 3; i++)
        {
            using var endpoint = new RawEndpoint(async stream =>
            {
                var asked = Stopwatch.GetTimestamp();
                await stream.ReadExactlyAsync(new byte[100_000]);
                waits.Add(Stopwatch.GetElapsedTime(asked));
                await stream.WriteAsync("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
            });
            Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, new Message { Id = "a", Body = new byte[100_000] }));
        }

        Assert.InRange(waits.Min(), TimeSpan.Zero, TimeSpan.FromSeconds(0.9));
    }

    [Fact]
    public async Task One_that_does_not_speak_HTTP_2_is_told_by_the_setting()
    {
        await using var endpoint = await WebEndpoint.StartAsync(200);

        Assert.Contains("Worker__Http__Http2", await Posting.FailureAsync(endpoint.Url, configure: options => options.Http2 = true));
    }

    [Theory]
    [InlineData("")]
    [InlineData("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")]
    public async Task One_that_closes_or_refuses_when_it_hears_HTTP_2_is_told_by_the_setting(string text)
    {
        using var endpoint = new RawEndpoint(text);

        Assert.Contains("Worker__Http__Http2", await Posting.FailureAsync(endpoint.Url, configure: options => options.Http2 = true));
    }

    [Fact]
    public async Task One_that_finds_the_properties_too_large_refuses_the_message()
    {
        await using var endpoint = await WebEndpoint.StartAsync(200);
        var message = new Message { Id = "a", Properties = new Dictionary<string, object?> { ["large"] = new string('x', 60_000) } };

        Assert.Equal("http_431", (await Posting.PostAsync(endpoint.Url, message)).Reason);
    }

    [Fact]
    public async Task One_that_has_said_by_HTTP_2_how_much_it_takes_is_not_sent_more_and_the_message_is_put_aside()
    {
        await using var endpoint = await WebEndpoint.StartAsync(200, protocols: HttpProtocols.Http2);
        using var handler = Posting.Handler(endpoint.Url, options => options.Http2 = true);
        await handler.PostAsync();

        var settlement = await handler.PostAsync(new Message { Id = "b", Properties = new Dictionary<string, object?> { ["large"] = new string('x', 60_000) } });

        Assert.Equal((SettlementKind.DeadLetter, "http_431"), (settlement.Kind, settlement.Reason));
        Assert.StartsWith($"{endpoint.Url} takes no headers as long as this message's: ", settlement.Description);
        Assert.Contains("32768 bytes", settlement.Description);
        Assert.Single(endpoint.Posted);
    }

    [Fact]
    public async Task One_that_breaks_off_by_HTTP_2_costs_no_message_however_long_its_headers_are()
    {
        await using var endpoint = await WebEndpoint.StartAsync(
            context =>
            {
                context.Abort();
                return Task.CompletedTask;
            },
            HttpProtocols.Http2);
        var message = new Message { Id = "a", Properties = new Dictionary<string, object?> { ["large"] = new string('x', 20_000) } };

        var failure = await Posting.FailureAsync(endpoint.Url, message, options => options.Http2 = true);

        Assert.StartsWith($"{endpoint.Url} broke off: ", failure);
        Assert.DoesNotContain("Worker__Http__Http2", failure);
    }

    private static void Hasty(HttpOptions options) => options.Timeout = TimeSpan.FromMilliseconds(200);
}
