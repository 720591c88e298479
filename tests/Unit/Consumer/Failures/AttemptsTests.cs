using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class AttemptsTests : IDisposable
{
    private readonly KeeperByHand _hand = new();
    private readonly VirtualTime _waits = new();
    private int _runs;

    public void Dispose() => _hand.Dispose();

    [Fact]
    public async Task A_retry_is_not_begun_once_its_lease_is_over_although_nobody_has_found_that_yet()
    {
        var attempt = Fail();

        // A standstill: the wait is over before anybody has looked at the leases.
        _hand.Time.Advance(TimeSpan.FromMinutes(1));
        _waits.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("No luck.", (await Assert.ThrowsAsync<InvalidOperationException>(() => attempt)).Message);
        Assert.Equal(1, _runs);
    }

    [Fact]
    public async Task A_retry_is_begun_while_its_lease_lasts()
    {
        var attempt = Fail();

        _waits.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(Settlement.Complete, await attempt);
        Assert.Equal(2, _runs);
    }

    private Task<Settlement> Fail()
    {
        var options = new QueueOptions { Retry = { Immediate = 1 } };
        var admission = Admission.Of(options, "orders", _hand.Lanes, NullLogger.Instance);
        var attempts = new Attempts(
            (_, _) => ++_runs == 1 ? throw new InvalidOperationException("No luck.") : new(Settlement.Complete),
            options.Retry,
            admission,
            _waits,
            () => 0.5);
        var lease = _hand.Hold();
        return attempts.RunAsync(new HeldMessage("orders", lease, _hand.Lanes.Clock), lease.Token).AsTask();
    }
}
