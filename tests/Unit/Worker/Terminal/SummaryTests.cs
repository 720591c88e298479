using Holdfast.Virtual;
using Holdfast.Worker.Terminal;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class SummaryTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly FakeEngine _engine = new();
    private readonly Notes<Summary> _log = new();
    private readonly CancellationTokenSource _stop = new();
    private readonly Summary _summary;

    public SummaryTests()
    {
        _summary = new Summary(_engine, _time, _log);
        _ = _summary.TellAsync(_stop.Token);
    }

    public void Dispose()
    {
        _stop.Cancel();
        _summary.Dispose();
        _stop.Dispose();
    }

    [Fact]
    public void A_change_is_told_every_five_seconds()
    {
        for (var i = 1; i <= 3; i++)
        {
            _engine.Status = _engine.Status with { Queues = [FakeEngine.Orders with { Completed = FakeEngine.Orders.Completed + (i * 10) }] };
            _time.Advance(TimeSpan.FromSeconds(5));
        }

        Assert.Equal(3, _log.Lines.Count);
        Assert.All(_log.Lines, line => Assert.StartsWith("Information: orders     2.0 msg/s  held   24", line));
    }

    [Fact]
    public void Where_nothing_changes_a_minute_passes_in_silence()
    {
        _time.Advance(TimeSpan.FromSeconds(59));
        Assert.Empty(_log.Lines);

        _time.Advance(TimeSpan.FromSeconds(61));
        Assert.Equal(2, _log.Lines.Count);
    }

    [Theory]
    [InlineData("http://[::]:8080", "http://localhost:8080/")]
    [InlineData("http://0.0.0.0:80", "http://localhost:80/")]
    [InlineData("http://127.0.0.1:5000/", "http://127.0.0.1:5000/")]
    [InlineData("http://unix:/run/*/worker.sock", "http://localhost/ through the socket /run/*/worker.sock")]
    public void The_address_that_is_told_can_be_opened(string address, string told) =>
        Assert.Equal(told, Announcements.Reachable(address));
}
