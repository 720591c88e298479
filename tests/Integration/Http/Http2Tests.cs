using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Integration.Http;

/// <summary>The Http handler and what an endpoint may do to its requests and connections by HTTP/2.</summary>
public sealed class Http2Tests
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(60);

    [Fact]
    public async Task What_a_connection_that_goes_away_does_not_answer_any_more_is_sent_by_another_at_once()
    {
        var requests = 0;
        using var endpoint = new FrameEndpoint(async (connection, number) =>
        {
            var first = await NextAsync();
            if (number == 1)
            {
                await NextAsync();
                await NextAsync();
                await connection.GoAwayAsync(lastStream: first);
            }

            for (var stream = first; ; stream = await NextAsync())
                await connection.AnswerAsync(stream);

            async Task<int> NextAsync()
            {
                var stream = await connection.RequestAsync();
                Interlocked.Increment(ref requests);
                return stream;
            }
        });
        using var handler = Posting.Handler(endpoint.Url, Http2);

        var settlements = await Task.WhenAll(handler.PostAsync(), handler.PostAsync(), handler.PostAsync());

        Assert.All(settlements, settlement => Assert.Equal(Settlement.Complete, settlement));
        Assert.Equal((5, 2), (requests, endpoint.Connections));
    }

    [Fact]
    public async Task What_a_connection_that_goes_away_has_taken_and_never_answers_fails_and_is_not_sent_twice()
    {
        using var endpoint = new FrameEndpoint(async (connection, _) => await connection.GoAwayAsync(lastStream: await connection.RequestAsync()));

        var failure = await Posting.FailureAsync(endpoint.Url, configure: Http2);

        Assert.StartsWith($"{endpoint.Url} broke off: The HTTP/2 server closed the connection.", failure);
        Assert.DoesNotContain("Worker__", failure);
        Assert.Equal(1, endpoint.Connections);
    }

    [Fact]
    public async Task A_request_that_is_refused_unseen_is_sent_again_at_once()
    {
        using var endpoint = new FrameEndpoint(async (connection, _) =>
        {
            await connection.RefuseAsync(await connection.RequestAsync());
            await connection.AnswerAsync(await connection.RequestAsync());
            await connection.RequestAsync();
        });

        Assert.Equal(Settlement.Complete, await Posting.PostAsync(endpoint.Url, configure: Http2));
    }

    [Fact]
    public async Task One_that_refuses_requests_again_and_again_is_told_by_the_setting_that_says_how_many_are_sent()
    {
        using var endpoint = new FrameEndpoint(async (connection, _) =>
        {
            while (true)
                await connection.RefuseAsync(await connection.RequestAsync());
        });

        var failure = await Posting.FailureAsync(endpoint.Url, configure: Http2);

        Assert.StartsWith($"{endpoint.Url} broke off: The HTTP/2 server reset the stream. HTTP/2 error code 'REFUSED_STREAM'", failure);
        Assert.EndsWith(" Where it takes fewer requests at once, lower Worker__MaxConcurrency.", failure);
    }

    [Fact]
    public async Task A_request_whose_lease_is_lost_is_reset_and_those_beside_it_go_on()
    {
        var asked = new TaskCompletionSource();
        using var endpoint = new FrameEndpoint(async (connection, _) =>
        {
            var lost = await connection.RequestAsync();
            asked.SetResult();
            var kept = await connection.RequestAsync();
            await connection.NextAsync(frame => frame.Kind == FrameKind.Reset && frame.Stream == lost);
            await connection.AnswerAsync(kept);
            await connection.RequestAsync();
        });
        using var handler = Posting.Handler(endpoint.Url, Http2);
        using var cancel = new CancellationTokenSource();

        var losing = handler.PostAsync(cancel: cancel.Token);
        await asked.Task.WaitAsync(s_tooLong);
        var keeping = handler.PostAsync();
        await cancel.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => losing);
        Assert.Equal(Settlement.Complete, await keeping);
    }

    [Fact]
    public async Task One_that_takes_nothing_of_a_body_is_given_up_when_its_time_is_over_and_the_request_is_reset()
    {
        var reset = new TaskCompletionSource();
        using var endpoint = new FrameEndpoint(
            async (connection, _) =>
            {
                await connection.NextAsync(frame => frame.Kind == FrameKind.Reset);
                reset.SetResult();
            },
            window: 0);
        using var handler = Posting.Handler(endpoint.Url, options => (options.Http2, options.Timeout) = (true, TimeSpan.FromSeconds(1)));

        var failure = await Assert.ThrowsAsync<EndpointException>(() => handler.PostAsync(new Message { Id = "a", Body = new byte[100_000] }));

        Assert.Equal($"{endpoint.Url} did not answer within 1s (Worker__Http__Timeout).", failure.Message);
        await reset.Task.WaitAsync(s_tooLong);
    }

    private static void Http2(HttpOptions options) => options.Http2 = true;
}
