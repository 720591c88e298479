using Holdfast.Virtual;
using Holdfast.Worker.Terminal;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class AccessNoticeTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly Notes<AccessNotice> _log = new();
    private readonly CancellationTokenSource _stop = new();

    public void Dispose()
    {
        _stop.Cancel();
        _stop.Dispose();
    }

    [Fact]
    public void When_a_signature_ends_is_told_at_the_start_and_once_more_a_day_before()
    {
        using var notice = Begin(_time.GetUtcNow().AddDays(400));
        Assert.Contains("lets us in until", Assert.Single(_log.Lines), StringComparison.Ordinal);

        Advance(days: 398);
        Assert.Single(_log.Lines);
        Advance(days: 1);
        Assert.Equal(2, _log.Lines.Count);
        Assert.Contains("what is held then is missed", _log.Lines[1], StringComparison.Ordinal);
        Advance(days: 10);
        Assert.Equal(2, _log.Lines.Count);
    }

    [Fact]
    public void Where_it_ends_within_a_day_that_is_told_at_once_and_alone()
    {
        using var notice = Begin(_time.GetUtcNow().AddHours(23));

        Assert.Contains("expires at", Assert.Single(_log.Lines), StringComparison.Ordinal);
    }

    private AccessNotice Begin(DateTimeOffset end)
    {
        var notice = new AccessNotice(end, _time, _log);
        _ = notice.TellAsync(_stop.Token);
        return notice;
    }

    private void Advance(int days)
    {
        for (var day = 0; day < days; day++)
            _time.Advance(TimeSpan.FromDays(1));
    }
}
