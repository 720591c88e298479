using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class AttemptsTests : IDisposable
{
    private readonly KeeperByHand _hand = new();
    private readonly VirtualTime _waits = new();
    private readonly QueueOptions _options = new();
    private readonly Admission _admission;
    private int _runs;

    public AttemptsTests() => _admission = Admission.Of(_options, "orders", _hand.Lanes, NullLogger.Instance);

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

    [Fact]
    public async Task A_retry_that_is_not_begun_leaves_the_failure_before_it_as_it_was()
    {
        var attempt = Fail(times: 2);
        _waits.Advance(TimeSpan.FromSeconds(0.2));
        Assert.Equal(2, _runs);

        _hand.Time.Advance(TimeSpan.FromMinutes(1));
        _waits.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal("No luck, the second time.", (await Assert.ThrowsAsync<InvalidOperationException>(() => attempt)).Message);
        Assert.Equal(2, _runs);
    }

    [Fact]
    public async Task What_is_called_off_while_it_waits_for_a_retry_leaves_that_to_others()
    {
        using var stop = new CancellationTokenSource();
        var attempt = Fail(cancel: stop.Token);
        Assert.False(_admission.MayRest);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => attempt);
        Assert.True(_admission.MayRest);
    }

    [Fact]
    public async Task What_an_attempt_put_into_its_context_before_it_threw_is_not_seen_by_the_next()
    {
        var (tenant, seen) = (new AsyncLocal<string?> { Value = "the message's" }, new List<string?>());
        _options.Retry.Immediate = 2;
        var attempts = new Attempts(
            (message, _) =>
            {
                seen.Add(tenant.Value);
                tenant.Value = $"attempt {message.Attempt}'s";
                return message.Attempt < 3 ? throw new InvalidOperationException() : new(Settlement.Complete);
            },
            _options.Retry,
            _admission,
            _waits,
            () => 0.5);

        var attempt = attempts.RunAsync(new HeldMessage("orders", _hand.Hold()) { Strand = _hand.Lanes.NewStrand(0, "a") }, default).AsTask();
        _waits.Advance(TimeSpan.FromSeconds(1));
        _waits.Advance(TimeSpan.FromSeconds(1));
        await attempt;

        Assert.Equal(["the message's", "the message's", "the message's"], seen);
    }

    private async Task<Settlement> Fail(int times = 1, CancellationToken cancel = default)
    {
        _options.Retry.Immediate = times;
        var attempts = new Attempts(
            (_, _) => ++_runs <= times ? throw new InvalidOperationException(_runs == 1 ? "No luck." : "No luck, the second time.") : new(Settlement.Complete),
            _options.Retry,
            _admission,
            _waits,
            () => 0.5);
        var outcome = await attempts.RunAsync(new HeldMessage("orders", _hand.Hold()) { Strand = _hand.Lanes.NewStrand(0, "a") }, cancel);
        outcome.ThrowIfException();
        return outcome.Result;
    }
}
