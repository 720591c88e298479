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
    public void Why_no_answer_came_is_told_once_it_is_known_and_shown_where_nobody_asks_for_messages()
    {
        var log = new Lines();
        var hand = Start(lockSeconds: 30, log);
        foreach (var _ in Enumerable.Range(0, hand.Status.Queues[0].SlotsLimit))
            hand.Send("1000");
        hand.Faults.Renewals.Silence();
        while (Renewing(log).Length == 0)
            hand.Run(0.1);
        hand.Faults.Renewals.Heal();
        hand.Faults.Cut();

        hand.Run(6);

        Assert.Equal(
            ["No answer so far. They are asked for again while they are trusted.", "The connection to the in-memory broker is cut. They are asked for again while they are trusted."],
            Renewing(log));
        Assert.Equal("The last renewal failed: The connection to the in-memory broker is cut.", hand.Status.Queues[0].Problem);

        hand.Faults.Restore();
        hand.Run(6);

        Assert.Equal((0, null), (hand.Status.Queues[0].Misses, hand.Status.Queues[0].Problem));
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

    private static string[] Renewing(Lines log) =>
        [.. log.Where(line => line.StartsWith("Renewing", StringComparison.Ordinal)).Select(line => line[(line.IndexOf(": ", StringComparison.Ordinal) + 2)..])];

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
