using System.Text;
using Holdfast.Worker.Management;
using Holdfast.Worker.Status;
using Microsoft.AspNetCore.Http;

namespace Holdfast.Tests.Unit.Worker.Status;

public sealed class ViewerStreamTests : IDisposable
{
    private readonly Feeding _feeding = new();
    private readonly Patience _port;

    public ViewerStreamTests() => _port = new Patience(_feeding.Time);

    public void Dispose()
    {
        _feeding.Dispose();
        _port.Dispose();
    }

    [Fact]
    public async Task A_viewer_who_takes_nothing_holds_up_nobody_and_then_gets_the_latest_state_whole()
    {
        var (slow, quick) = (new Wire(), new Wire());
        var (slowly, quickly) = (Watch(slow), Watch(quick));
        slow.Stall();
        for (var i = 0; i < 50; i++)
        {
            _feeding.Engine.Hold(FakeEngine.Lease(i));
            _feeding.Beat();
            await quick.FrameAsync();

            // It stands at the first one from here on, however late it came to that.
            if (i == 0)
                await slow.OfferAsync();
        }

        var missed = slow.Frames;
        slow.Resume();
        while (!slow.Text.Contains("[[49,", StringComparison.Ordinal))
            await slow.FrameAsync();

        Assert.Equal(0, missed);
        Assert.Equal(["whole", .. Enumerable.Repeat("change", 49)], quick.Events);
        Assert.Equal("whole", slow.Events[^1]);
        Assert.InRange(slow.Frames, 1, 2);
        await EndAsync(slowly, quickly);
    }

    [Fact]
    public async Task A_viewer_who_goes_makes_room()
    {
        using var gone = new CancellationTokenSource();
        var watching = Watch(new Wire(), gone.Token);
        Assert.Equal(1, _feeding.Feed.Viewers);

        gone.Cancel();
        await watching;

        Assert.Equal(0, _feeding.Feed.Viewers);
    }

    [Fact]
    public async Task A_viewer_who_takes_nothing_for_half_a_minute_makes_room()
    {
        var dead = new Wire();
        var watching = Watch(dead);
        dead.Stall();
        _feeding.Engine.Hold(FakeEngine.Lease(1));
        _feeding.Beat();
        await dead.OfferAsync();

        _feeding.Time.Advance(TimeSpan.FromSeconds(29));
        Assert.Equal(1, _feeding.Feed.Viewers);
        _feeding.Time.Advance(TimeSpan.FromSeconds(2));
        await watching;

        Assert.Equal(0, _feeding.Feed.Viewers);
    }

    [Fact]
    public async Task A_viewer_who_does_not_take_the_last_word_holds_up_the_end_for_a_second()
    {
        var dead = new Wire();
        var context = Context(dead, default);
        var watching = ViewerStream.SendAsync(context, _feeding.Feed, _port, _feeding.Time);
        dead.Stall();
        await _feeding.Feed.StopAsync(default);
        await dead.OfferAsync();
        await _port.StopAsync(default);
        Assert.False(context.RequestAborted.IsCancellationRequested);

        _feeding.Time.Advance(TimeSpan.FromSeconds(1));
        Assert.True(context.RequestAborted.IsCancellationRequested);
        await watching;

        Assert.Equal(0, _feeding.Feed.Viewers);
    }

    [Fact]
    public async Task One_to_whom_nothing_is_told_stays()
    {
        var watching = Watch(new Wire());

        _feeding.Time.Advance(TimeSpan.FromHours(1));

        Assert.Equal(1, _feeding.Feed.Viewers);
        await EndAsync(watching);
    }

    [Fact]
    public async Task One_too_many_is_told_so()
    {
        for (var i = 0; i < StatusFeed.MostViewers; i++)
            _feeding.Enter();
        var wire = new Wire();
        var context = Context(wire, default);

        await ViewerStream.SendAsync(context, _feeding.Feed, _port, _feeding.Time);

        Assert.Equal(StatusCodes.Status503ServiceUnavailable, context.Response.StatusCode);
        Assert.Equal("10", context.Response.Headers.RetryAfter);
        Assert.StartsWith("16 pages watch this worker already", wire.Text);
        Assert.Equal(StatusFeed.MostViewers, _feeding.Feed.Viewers);
    }

    [Fact]
    public async Task Who_comes_when_all_is_told_is_not_told_of_too_many()
    {
        await EndAsync();
        var wire = new Wire();

        await ViewerStream.SendAsync(Context(wire, default), _feeding.Feed, _port, _feeding.Time);

        Assert.Equal("It has been told to stop, and has told all there is to tell.\n", wire.Text);
    }

    private async Task EndAsync(params Task[] viewers)
    {
        await _feeding.Feed.StopAsync(default);
        await Task.WhenAll(viewers);
        Assert.Equal(0, _feeding.Feed.Viewers);
    }

    private Task Watch(Wire wire, CancellationToken gone = default) => ViewerStream.SendAsync(Context(wire, gone), _feeding.Feed, _port, _feeding.Time);

    private static HttpContext Context(Wire wire, CancellationToken gone)
    {
        var context = new Connection(gone).Ask();
        context.Response.Body = wire;
        return context;
    }

    /// <summary>What a viewer gets. While it is stalled, nothing is taken.</summary>
    private sealed class Wire : MemoryStream
    {
        private readonly SemaphoreSlim _frames = new(0);
        private readonly SemaphoreSlim _offers = new(0);
        private TaskCompletionSource _open = Open();

        public string Text
        {
            get
            {
                lock (this)
                    return Encoding.UTF8.GetString(ToArray());
            }
        }

        public string[] Events => [.. Text.Split('\n').Where(line => line.StartsWith("event: ", StringComparison.Ordinal)).Select(line => line[7..])];

        public int Frames => Events.Length;

        public Task FrameAsync() => _frames.WaitAsync();

        /// <summary>Waits until a frame is to be written, whether it is taken or not.</summary>
        public Task OfferAsync() => _offers.WaitAsync();

        public void Stall() => _open = new(TaskCreationOptions.RunContinuationsAsynchronously);

        public void Resume() => _open.SetResult();

        public override async ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
        {
            var isFrame = buffer.Span.StartsWith("event"u8);
            if (isFrame)
                _offers.Release();
            await _open.Task.WaitAsync(cancellationToken);
            lock (this)
                Write(buffer.Span);
            if (isFrame)
                _frames.Release();
        }

        private static TaskCompletionSource Open()
        {
            var open = new TaskCompletionSource();
            open.SetResult();
            return open;
        }
    }
}
