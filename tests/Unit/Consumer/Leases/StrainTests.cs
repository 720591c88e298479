using Holdfast.Broker;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>Nothing is taken while renewals fail, and for no longer.</summary>
public sealed class StrainTests : IDisposable
{
    private const string Strained = "leases are renewed late or not at all";

    private readonly List<string> _runs = [];
    private readonly TaskCompletionSource _told = new();
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void One_renewal_that_failed_does_not_stop_receiving_for_long()
    {
        var hand = Start(lockSeconds: 300);
        hand.Send("until told");
        hand.Run(100);
        hand.Send("1000");
        hand.Run(30);
        hand.Faults.Renewals.Fail(1);
        while (Holding is null)
            hand.Run(0.1);

        // It is done before it is tried again, and the other's renewal is due long after.
        _told.SetResult();
        hand.Run(6);
        Assert.Null(Holding);

        foreach (var id in new[] { "1", "2", "3" })
        {
            hand.Send(id);
            hand.Run(4);
        }

        Assert.Equal(["until told", "1000", "1", "2", "3"], _runs);
        Assert.Equal(0, hand.Status.Queues[0].Misses);
    }

    [Fact]
    public void Once_nothing_is_held_any_more_there_is_nothing_to_wait_for()
    {
        var hand = Start(lockSeconds: 300);
        hand.Send("until told");
        hand.Run(100);
        hand.Faults.Renewals.Fail(1);
        while (Holding is null)
            hand.Run(0.1);

        _told.SetResult();
        hand.Run(0.2);

        Assert.Equal((0, null), (hand.Keeper.Held, Holding));
    }

    [Theory]
    [InlineData(2, false)]
    [InlineData(2, true)]
    [InlineData(10, false)]
    [InlineData(10, true)]
    [InlineData(300, false)]
    [InlineData(300, true)]
    public void While_they_fail_or_hang_nothing_is_taken_and_it_is_told_once(double lockSeconds, bool areSilent)
    {
        var log = new Lines();
        var hand = Start(lockSeconds, log);
        hand.Send("1000");
        if (areSilent)
            hand.Faults.Renewals.Silence();
        else
            hand.Faults.Renewals.Fail();

        // From when the first was given up, to shortly before the end of trust.
        hand.Run(lockSeconds * 0.7);
        for (var look = 0; look < 100; look++)
        {
            Assert.Equal(Strained, Holding);
            hand.Run(lockSeconds * 0.17 / 100);
        }

        Assert.Single(log, line => line.StartsWith("Renewing", StringComparison.Ordinal));
    }

    [Fact]
    public void Why_no_answer_came_is_told_once_it_is_known_and_shown_while_it_goes_on()
    {
        var log = new Lines();
        var hand = Start(lockSeconds: 30, log);
        hand.Send("1000");
        hand.Faults.Renewals.Silence(1);
        hand.Faults.Renewals.Fail();

        hand.Run(28);

        const string Reason = "The in-memory broker was told to fail this renewal.";
        Assert.Equal(
            ["Renewing 1 leases of orders failed: No answer so far. They are asked for again while they are trusted.", $"Renewing 1 leases of orders failed: {Reason} They are asked for again while they are trusted."],
            log.Where(line => line.StartsWith("Renewing", StringComparison.Ordinal)));
        Assert.Equal($"Leases are not renewed: {Reason}", hand.Status.Queues[0].Problem);

        hand.Faults.Renewals.Heal();
        hand.Run(1);

        Assert.Null(hand.Status.Queues[0].Problem);
    }

    [Fact]
    public void The_first_that_succeeds_ends_it()
    {
        var hand = Start(lockSeconds: 300);
        hand.Send("1000");
        hand.Run(130);
        hand.Faults.Renewals.Fail(2);

        var strained = 0;
        for (var look = 0; look < 300; look++)
        {
            hand.Run(0.1);
            strained += Holding is null ? 0 : 1;
        }

        // Tried again after 3 s, and then after 3 s more.
        Assert.InRange(strained, 59, 61);
    }

    private string? Holding => _hand!.Status.Queues[0].Holding;

    // A message's id is how long its handler takes.
    private EngineByHand Start(double lockSeconds, ILogger? log = null) => _hand = new EngineByHand(
        async (message, cancel) =>
        {
            _runs.Add(message.Id);
            await (message.Id == "until told" ? _told.Task : _hand!.Nap(double.Parse(message.Id), cancel));
            return Settlement.Complete;
        },
        configureBroker: broker => broker.LockDuration = TimeSpan.FromSeconds(lockSeconds),
        log: log).Start();
}
