using System.Text;
using Holdfast.Broker;
using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class SendTests
{
    [Fact]
    public async Task Each_line_is_sent_in_order_as_it_stands()
    {
        using var call = new Calling { Input = "ä\n\nthree" };

        Assert.Equal(0, await call.RunAsync("send", "--lines", "--id", "n", "--json"));
        Assert.Equal("""{"queue":"orders","id":"n","sent":3,"inDoubt":0,"refused":0,"unsent":0}""", Assert.Single(call.Output));
        Assert.Equal([("n-1", "ä"), ("n-2", ""), ("n-3", "three")], call.Post.Sent.Select(message => (message.Id, Encoding.UTF8.GetString(message.Body.Span))));
    }

    [Fact]
    public async Task Lines_end_with_a_line_feed_and_a_carriage_return_elsewhere_is_part_of_them()
    {
        var long_ = new string('x', 10_000);
        using var call = new Calling { Input = $"a\rb\r\n\r\n{long_}\nlast\r" };

        Assert.Equal(0, await call.RunAsync("send", "--lines"));
        Assert.Equal(["a\rb", "", long_, "last\r"], call.Post.Sent.Select(message => Encoding.UTF8.GetString(message.Body.Span)));
    }

    [Fact]
    public async Task A_line_that_does_not_end_is_refused_before_it_fills_the_memory()
    {
        const int Longest = 100_000;
        using var endless = new MemoryStream([.. "first\n"u8, .. new byte[4 * Longest]]);
        var lines = new LineReader(endless, Longest);

        Assert.Equal("first"u8.ToArray(), await lines.NextAsync(TestContext.Current.CancellationToken));
        var refused = await Assert.ThrowsAsync<Failure>(() => lines.NextAsync(TestContext.Current.CancellationToken));
        Assert.Equal((2, "A line is longer than 100,000 bytes, and no broker takes that much; end each message's line with LF."), (refused.ExitCode, refused.Message));
        Assert.InRange(endless.Position, Longest, 2 * Longest);
    }

    [Fact]
    public async Task A_text_that_begins_with_an_at_sign_is_no_file()
    {
        using var call = new Calling();

        Assert.Equal(0, await call.RunAsync("send", "--body", "@/etc/passwd"));
        Assert.Equal("@/etc/passwd", Encoding.UTF8.GetString(Assert.Single(call.Post.Sent).Body.Span));
    }

    [Theory]
    [InlineData(1, "--lines")]
    [InlineData(0)]
    public async Task Who_waits_for_what_is_piped_in_can_be_told_to_stop_and_says_what_arrived(int arrived, params string[] options)
    {
        using var stop = new CancellationTokenSource();
        using var pipe = new IdlePipe("first\n"u8.ToArray());
        var post = new Postbox();
        var source = new BodySource(file: null, text: null, byLines: options is [_], count: null, pipe);
        var posting = new Posting(post, TimeSpan.Zero, rate: null, TimeProvider.System);
        var pattern = new MessagePattern { Id = "a", IsOne = false, Properties = new Dictionary<string, object?>() };

        var sending = posting.RunAsync(pattern.Fill(source.ReadAsync(stop.Token)), new Progress<long>(), stop.Token);
        await Task.WhenAny(pipe.IsIdle, sending);
        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.WaitAsync(TimeSpan.FromSeconds(30)));
        Assert.Equal(arrived, posting.Sent);
    }

    [Fact]
    public async Task Who_stops_it_is_told_that_it_was_interrupted_and_what_arrived()
    {
        using var stop = new CancellationTokenSource();
        using var pipe = new IdlePipe("first\n"u8.ToArray());
        using var call = new Calling { Pipe = pipe };

        var sending = SendCommand.Create(call.Bench).Parse(["--lines", "--id", "a"]).InvokeAsync(new() { EnableDefaultExceptionHandler = false, ProcessTerminationTimeout = null }, stop.Token);
        await Task.WhenAny(pipe.IsIdle, sending);
        await stop.CancelAsync();

        Assert.Equal(1, await sending.WaitAsync(TimeSpan.FromSeconds(30)));
        Assert.Equal("Sent 1 to 'orders', ids beginning with a.", Assert.Single(call.Output));
        Assert.Equal("It was interrupted.", Assert.Single(call.Error));
    }

    [Fact]
    public async Task A_failure_is_told_though_nothing_more_is_piped_in()
    {
        using var pipe = new IdlePipe("first\nsecond\n"u8.ToArray());
        var post = new Postbox { Room = 1 };
        var source = new BodySource(file: null, text: null, byLines: true, count: null, pipe);
        var posting = new Posting(post, TimeSpan.Zero, rate: null, TimeProvider.System);
        var pattern = new MessagePattern { Id = "a", IsOne = false, Properties = new Dictionary<string, object?>() };

        var sending = posting.RunAsync(pattern.Fill(source.ReadAsync(default)), new Progress<long>(), default);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(TimeSpan.FromSeconds(30)));
        Assert.Equal(post.Problem.Message, problem.Message);
        Assert.Equal((1, 1), (posting.Sent, posting.InDoubt));
    }

    [Fact]
    public async Task A_message_is_all_that_it_is_told_to_be()
    {
        using var call = new Calling();

        Assert.Equal(0, await call.RunAsync("send", "--body", "{}", "--id", "a", "--content-type", "application/json", "--content-encoding", "gzip", "--priority", "7", "--session", "s", "--correlation-id", "c", "--subject", "paid", "--reply-to", "answers", "--time-to-live", "5m", "--property", "x=1=2", "--property", "y="));
        Assert.Equal("Sent 1 to 'orders', id a.", Assert.Single(call.Output));
        var message = Assert.Single(call.Post.Sent);
        Assert.Equal(("a", "application/json", "gzip", 7, "s", "c"), (message.Id, message.ContentType, message.ContentEncoding, message.Priority, message.SessionId, message.CorrelationId));
        Assert.Equal(("paid", "answers", TimeSpan.FromMinutes(5)), (message.Subject, message.ReplyTo, message.TimeToLive));
        Assert.Equal(("1=2", ""), (message.Properties["x"], message.Properties["y"]));
    }

    [Fact]
    public async Task A_body_is_sent_as_often_as_asked()
    {
        using var call = new Calling();

        await call.RunAsync("send", "--body", "x", "--count", "300", "--id", "a", "--queue", "others");

        Assert.Equal("Sent 300 to 'others', ids beginning with a.", Assert.Single(call.Output));
        Assert.Equal((300, "others"), (call.Post.Sent.Count, call.Post.Queue));
    }

    [Fact]
    public async Task Where_it_stops_it_says_how_many_arrived_and_of_how_many_nobody_knows()
    {
        using var call = new Calling { Post = new() { Room = 5 } };

        Assert.Equal(1, await call.RunAsync("send", "--body", "x", "--count", "10", "--id", "a"));
        Assert.Equal(5, call.Post.Sent.Count);
        Assert.StartsWith("Sent 5 to 'orders', ids beginning with a. Of ", Assert.Single(call.Output));
        Assert.EndsWith(" more nobody knows.", call.Output[0]);
        Assert.Equal("The broker is gone.", Assert.Single(call.Error));
    }

    [Theory]
    [InlineData("Sent 1 to 'orders', id a. Standard output can't be written: No space left on device")]
    [InlineData("""{"error":"Sent 1 to \u0027orders\u0027, id a. Standard output can\u0027t be written: No space left on device"}""", "--json")]
    public async Task What_was_sent_and_can_not_be_told_is_told_as_an_error_and_is_none(string told, params string[] more)
    {
        using var call = new Calling { IsOutputFull = true };

        Assert.Equal(0, await call.RunAsync(["send", "--body", "x", "--id", "a", .. more]));
        Assert.Equal(told, Assert.Single(call.Error));
        Assert.Single(call.Post.Sent);
    }

    [Fact]
    public async Task Of_what_failed_all_is_told_though_the_output_takes_nothing()
    {
        using var call = new Calling { IsOutputFull = true, Post = new() { Room = 0 } };

        Assert.Equal(1, await call.RunAsync("send", "--body", "x", "--id", "a"));
        Assert.Equal(["Sent 0 to 'orders', id a. Of 1 more nobody knows. Standard output can't be written: No space left on device", "The broker is gone."], call.Error);
    }

    [Fact]
    public async Task Of_what_is_refused_it_is_known_that_it_did_not_arrive()
    {
        using var call = new Calling { Post = new() { Room = 0, Problem = new("It has no sessions.", isTransient: false) } };

        Assert.Equal(1, await call.RunAsync("send", "--body", "x", "--id", "a", "--json"));
        Assert.Equal("""{"queue":"orders","id":"a","sent":0,"inDoubt":0,"refused":1,"unsent":0}""", Assert.Single(call.Output));

        using var again = new Calling { Post = call.Post };
        Assert.Equal(1, await again.RunAsync("send", "--body", "x", "--id", "a"));
        Assert.Equal("Sent 0 to 'orders', id a. Refused: 1.", Assert.Single(again.Output));
        Assert.Equal("It has no sessions.", Assert.Single(again.Error));
    }

    [Fact]
    public async Task Of_what_has_surely_not_left_it_is_known_that_it_may_be_sent_again()
    {
        using var call = new Calling { Post = new() { Room = 0, Problem = new("There is an alarm.", isTransient: true) { IsUnsent = true } } };

        Assert.Equal(1, await call.RunAsync("send", "--body", "x", "--id", "a", "--json"));
        Assert.Equal("""{"queue":"orders","id":"a","sent":0,"inDoubt":0,"refused":0,"unsent":1}""", Assert.Single(call.Output));

        using var again = new Calling { Post = call.Post };
        Assert.Equal(1, await again.RunAsync("send", "--body", "x", "--id", "a"));
        Assert.Equal("Sent 0 to 'orders', id a. Not sent: 1.", Assert.Single(again.Output));
    }

    [Fact]
    public async Task A_body_that_is_sent_often_is_held_once()
    {
        using var call = new Calling { Input = "hello" };

        Assert.Equal(0, await call.RunAsync("send", "--count", "3"));
        Assert.Equal(3, call.Post.Sent.Count);
        Assert.All(call.Post.Sent, message => Assert.True(message.Body.Equals(call.Post.Sent[0].Body)));
        Assert.Equal("hello", Encoding.UTF8.GetString(call.Post.Sent[0].Body.Span));
    }

    [Fact]
    public async Task A_delay_is_the_broker_s_to_keep()
    {
        using var call = new Calling();

        await call.RunAsync("send", "--body", "x", "--delay", "5m");

        Assert.Equal(TimeSpan.FromMinutes(5), call.Post.Delay);
    }

    [Theory]
    [InlineData()]
    [InlineData("--count", "2")]
    public async Task Nothing_that_is_piped_in_unasked_is_no_message(params string[] options)
    {
        using var call = new Calling { Input = "" };

        Assert.Equal(2, await call.RunAsync(["send", .. options]));
        Assert.Equal("There is nothing to send; give a FILE, --body TEXT, or pipe something in.", Assert.Single(call.Error));
        Assert.Empty(call.Post.Sent);
    }

    [Theory]
    [InlineData("-")]
    [InlineData("--body", "")]
    public async Task Who_asks_for_an_empty_message_has_it_sent(params string[] options)
    {
        using var call = new Calling { Input = "" };

        Assert.Equal(0, await call.RunAsync(["send", .. options]));
        Assert.Equal(0, Assert.Single(call.Post.Sent).Body.Length);
    }

    [Theory]
    [InlineData("There is nothing to send; give a FILE, --body TEXT, or pipe something in.")]
    [InlineData("There is no file 'nowhere'.", "nowhere")]
    [InlineData("Both a FILE and --body are given; leave one of them out.", "nowhere", "--body", "x")]
    [InlineData("--count and --lines don't go together; leave one of them out.", "nowhere", "--lines", "--count", "2")]
    public async Task What_can_not_be_sent_is_said_in_a_line(string problem, params string[] arguments)
    {
        using var call = new Calling();

        Assert.Equal(2, await call.RunAsync(["send", .. arguments]));
        Assert.Equal(problem, Assert.Single(call.Error));
    }
}
