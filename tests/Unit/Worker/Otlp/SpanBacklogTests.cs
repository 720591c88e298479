using Holdfast.Virtual;
using Holdfast.Worker.Otlp;

namespace Holdfast.Tests.Unit.Worker.Otlp;

public sealed class SpanBacklogTests
{
    private const int Room = 10;

    private readonly VirtualTime _time = new();
    private readonly Notes<OtlpExport> _log = new();
    private readonly SpanBacklog _backlog;

    public SpanBacklogTests() => _backlog = new SpanBacklog(Room, _log, _time);

    [Fact]
    public void As_long_as_there_is_room_nothing_is_told()
    {
        for (var round = 0; round < 100; round++)
        {
            End(Room);
            _backlog.Sent(Room);
        }

        Assert.Empty(_log.Lines);
    }

    [Fact]
    public void That_some_are_dropped_is_told_once_and_anew_after_a_minute_without()
    {
        End(Room);
        Assert.Empty(_log.Lines);
        for (var second = 0; second < 300; second++)
        {
            End(2);
            _time.Advance(TimeSpan.FromSeconds(1));
        }

        Assert.Contains("OTEL_BSP_MAX_QUEUE_SIZE", Assert.Single(_log.Lines), StringComparison.Ordinal);
        Assert.Contains("OTEL_TRACES_SAMPLER=parentbased_traceidratio with OTEL_TRACES_SAMPLER_ARG", _log.Lines[0], StringComparison.Ordinal);

        _backlog.Sent(Room);
        _time.Advance(TimeSpan.FromMinutes(1));
        End(Room);
        Assert.Single(_log.Lines);
        End(1);
        Assert.Equal(2, _log.Lines.Count);
    }

    private void End(int count)
    {
        for (var i = 0; i < count; i++)
            _backlog.Ended();
    }
}
