using System.Text;
using Holdfast.Consumer;
using Holdfast.Worker.Status;

namespace Holdfast.Tests.Unit.Worker.Status;

public sealed class StatusFeedTests : IDisposable
{
    private readonly Feeding _feeding = new();

    private StatusFeed Feed => _feeding.Feed;

    private FakeEngine Engine => _feeding.Engine;

    public void Dispose() => _feeding.Dispose();

    [Fact]
    public void Nobody_looks_at_the_leases_one_by_one_while_nobody_watches()
    {
        _feeding.Beat(100);
        Assert.Equal(0, Engine.Looks);

        _feeding.Enter();
        _feeding.Beat(8);
        Assert.Equal(8, Engine.Looks);

        Feed.Leave();
        _feeding.Beat(8);
        Assert.Equal(8, Engine.Looks);
    }

    [Fact]
    public void However_many_watch_the_worker_looks_once_for_all_and_writes_each_frame_once()
    {
        var (one, other) = (_feeding.Enter(), _feeding.Enter());
        _feeding.Beat();

        Assert.Equal(1, Engine.Looks);
        Assert.Same(_feeding.Next(one), _feeding.Next(other));
        Assert.Same(_feeding.Next(one).Whole, _feeding.Next(other).Whole);
    }

    [Fact]
    public void However_often_scripts_ask_the_worker_looks_a_few_times_in_a_second()
    {
        for (var i = 0; i < 1000; i++)
        {
            Feed.Look();
            _feeding.Time.Advance(TimeSpan.FromMilliseconds(1));
        }

        Assert.Equal(8, Engine.Looks);
    }

    [Fact]
    public void A_change_tells_what_is_new_and_the_whole_tells_all()
    {
        var seen = _feeding.Enter();
        Engine.Hold(FakeEngine.Lease(1, "a"), FakeEngine.Lease(2, "b"));
        Engine.Held = Engine.Held with { InDanger = 7, Lost = 5 };
        _feeding.Beat(2);
        Engine.Hold(FakeEngine.Lease(2, "b") with { State = LaneState.Settling }, FakeEngine.Lease(3, "c"));
        _feeding.Beat();

        var frame = _feeding.Next(seen);
        var change = Feeding.Data(frame.Change);
        Assert.Equal("[[3,120000,1,2,0,\"c\",\"orders\",0,1,90000,30000]]", change.GetProperty("come").GetRawText());
        Assert.Equal("[[2,120000,1,3,0]]", change.GetProperty("changed").GetRawText());
        Assert.Equal("[1]", change.GetProperty("gone").GetRawText());
        Assert.Equal((7, 5), (change.GetProperty("inDanger").GetInt32(), change.GetProperty("lost").GetInt32()));
        Assert.False(change.TryGetProperty("worker", out _));

        var whole = Feeding.Data(frame.Whole);
        Assert.Equal([2, 3], whole.GetProperty("come").EnumerateArray().Select(lease => lease[0].GetInt32()));
        Assert.Equal("Demo", whole.GetProperty("worker").GetProperty("handler").GetString());
        Assert.Equal("Running", whole.GetProperty("engine").GetProperty("state").GetString());
    }

    [Fact]
    public void Misses_are_told_when_there_are_others_and_to_who_comes()
    {
        Engine.LastMisses = [Miss("a")];
        var seen = _feeding.Enter();
        _feeding.Beat(8);
        Assert.False(Feeding.Data(_feeding.Next(seen).Change).TryGetProperty("misses", out _));
        Assert.Equal(["a"], Told(_feeding.Next(seen).Whole));

        Engine.LastMisses = [Miss("b"), Miss("a")];
        _feeding.Beat();
        Assert.Equal(["b", "a"], Told(_feeding.Next(seen).Change));

        // Looked at anew, they are the same ones.
        Engine.LastMisses = [Miss("b"), Miss("a")];
        _feeding.Beat(4);
        Assert.False(Feeding.Data(_feeding.Next(seen).Change).TryGetProperty("misses", out _));
        Assert.Equal(["b", "a"], Told(_feeding.Next(seen).Whole));

        static LeaseMiss Miss(string id) => new(default, "orders", id, 1, "expired", TimeSpan.FromSeconds(1), null);

        static IEnumerable<string?> Told(byte[] frame) => Feeding.Data(frame).GetProperty("misses").EnumerateArray().Select(miss => miss.GetProperty("messageId").GetString());
    }

    [Fact]
    public void Who_comes_again_sees_the_last_state_and_the_minutes_before()
    {
        _feeding.Beat(4 * 30);
        _feeding.Enter();
        _feeding.Beat();
        Feed.Leave();
        _feeding.Beat(4 * 30);

        var seen = _feeding.Enter();
        Engine.Hold(FakeEngine.Lease(9));
        _feeding.Beat();

        var whole = Feeding.Data(_feeding.Next(seen).Whole);
        Assert.Equal(9, whole.GetProperty("come")[0][0].GetInt64());
        Assert.InRange(whole.GetProperty("points").GetArrayLength(), 59, 61);
    }

    [Fact]
    public void Who_comes_waits_for_a_picture_of_his_own_time()
    {
        _feeding.Enter();
        _feeding.Beat();

        var seen = _feeding.Enter();
        Assert.False(Feed.NextAsync(seen, default).IsCompleted);
    }

    [Fact]
    public void The_history_has_the_rates_of_each_second_and_forgets_what_is_long_past()
    {
        for (var i = 0; i < History.Seconds + 50; i++)
        {
            Engine.Status = Engine.Status with { Queues = [FakeEngine.Orders with { Received = 100 + (i * 7), Completed = 60 + (i * 5) }] };
            _feeding.Beat(4);
        }

        var seen = _feeding.Enter();
        _feeding.Beat();

        var points = Feeding.Data(_feeding.Next(seen).Whole).GetProperty("points");
        Assert.Equal(History.Seconds, points.GetArrayLength());
        Assert.Equal((7, 5), (points[0][1].GetDouble(), points[0][2].GetDouble()));
    }

    [Fact]
    public void Points_are_of_the_engines_clock_and_the_date_is_told_beside_it()
    {
        for (var i = 0; i < 5; i++)
        {
            Engine.Held = Engine.Held with { At = TimeSpan.FromSeconds(100 + i) };
            _feeding.Beat(4);
        }

        var seen = _feeding.Enter();
        _feeding.Beat();

        var whole = Feeding.Data(_feeding.Next(seen).Whole);
        Assert.Equal([101, 102, 103, 104, 104], whole.GetProperty("points").EnumerateArray().Select(point => point[0].GetDouble()));
        Assert.Equal(_feeding.Time.GetUtcNow().ToUnixTimeMilliseconds(), whole.GetProperty("date").GetInt64());
    }

    [Fact]
    public void There_is_a_bound_on_those_who_watch()
    {
        for (var i = 0; i < StatusFeed.MostViewers; i++)
            _feeding.Enter();
        Assert.False(Feed.TryEnter(out _));

        Feed.Leave();
        Assert.True(Feed.TryEnter(out _));
    }

    [Fact]
    public async Task The_end_is_shown_to_all_and_then_nothing_more_comes()
    {
        var seen = _feeding.Enter();
        Engine.Status = Engine.Status with { State = EngineState.Stopped };

        await Feed.StopAsync(default);

        var last = _feeding.Next(seen);
        Assert.Equal("Stopped", Feeding.Data(last.Change).GetProperty("engine").GetProperty("state").GetString());
        Assert.Null(await Feed.NextAsync(last.Number, default));
        Assert.False(Feed.TryEnter(out _));
    }

    [Fact]
    public void Hostile_texts_are_data_of_a_bounded_length()
    {
        const string Markup = "</script><img src=x onerror=alert(1)>\r\n\r\nevent: whole\ndata: {}";
        var seen = _feeding.Enter();
        Engine.Hold(FakeEngine.Lease(1, Markup), FakeEngine.Lease(2, new string('x', 100_000)), FakeEngine.Lease(3, "\ud800 \udfff"), FakeEngine.Lease(4, new string('\ud83d', 500)), FakeEngine.Lease(5, new string('x', 119) + "😀 and more"));
        Engine.Status = Engine.Status with { Fault = new string('f', 100_000), Queues = [FakeEngine.Orders with { Problem = new string('p', 100_000) }] };
        Engine.LastMisses = [new(default, "orders", new string('m', 100_000), 1, "expired", TimeSpan.FromSeconds(1), null)];
        _feeding.Beat();

        var frame = _feeding.Next(seen);
        Assert.InRange(frame.Whole.Length, 1, 6_000);
        Assert.DoesNotContain('<', Encoding.UTF8.GetString(frame.Whole));
        var ids = Feeding.Data(frame.Whole).GetProperty("come").EnumerateArray().Select(lease => lease[5].GetString()!).ToArray();
        Assert.Equal(Markup, ids[0]);
        Assert.Equal(new string('x', 120) + "...", ids[1]);
        Assert.Equal("\ufffd \ufffd", ids[2]);
        Assert.Equal(new string('x', 119) + "...", ids[4]);
    }
}
