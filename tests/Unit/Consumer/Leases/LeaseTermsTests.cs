using FsCheck;
using FsCheck.Fluent;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class LeaseTermsTests
{
    private static readonly Config s_many = Config.QuickThrowOnFailure.WithMaxTest(500);

    // Locks from 10 ms to 10 minutes, each part of them as likely as the others; margins from none to a minute.
    private static readonly Gen<LeaseTerms> s_terms =
        from exponent in Gen.Choose(100, 578)
        from margin in Gen.Choose(0, 60_000)
        from renewAfter in Gen.Choose(10, 80)
        select new LeaseTerms(TimeSpan.FromMilliseconds(Math.Pow(10, exponent / 100.0)), TimeSpan.FromMilliseconds(margin), renewAfter / 100.0);

    private static readonly Gen<TimeSpan> s_instant = Gen.Choose(0, 1_000_000).Select(ms => TimeSpan.FromMilliseconds(ms));

    [Fact]
    public void No_lease_that_is_renewed_in_time_is_ever_shown_in_danger_and_every_one_is_before_it_ends() => Holds(
        from terms in s_terms
        from spread in Gen.Choose(0, 100)
        select (terms, spread),
        all =>
        {
            var trust = all.terms.TrustedUntil(TimeSpan.Zero);
            var leftWhenDue = trust - all.terms.RenewAt(TimeSpan.Zero, all.spread / 100.0);
            Assert.Equal(LeaseDanger.None, all.terms.Danger(leftWhenDue));
            Assert.Equal(LeaseDanger.Near, all.terms.Danger(TimeSpan.Zero));
            Assert.Equal([LeaseDanger.None, LeaseDanger.Late, LeaseDanger.Near], Enumerable.Range(0, 101).Select(part => all.terms.Danger(trust * (100 - part) / 100)).Distinct());
        });

    [Fact]
    public void Trust_ends_before_the_lock_does_by_the_margin_or_a_quarter_of_the_lock() => Holds(
        from terms in s_terms
        from asked in s_instant
        select (terms, asked),
        all =>
        {
            var before = all.asked + all.terms.Lock - all.terms.TrustedUntil(all.asked);
            var quarter = all.terms.Lock / 4;
            Assert.Equal((all.terms.Margin < quarter ? all.terms.Margin : quarter).Ticks, before.Ticks, 1.0);
        });

    [Fact]
    public void A_renewal_is_due_after_it_was_asked_for_and_well_before_trust_ends() => Holds(
        from terms in s_terms
        from asked in s_instant
        from spread in Gen.Choose(0, 100)
        select (terms, asked, spread: spread / 100.0),
        all =>
        {
            var due = all.terms.RenewAt(all.asked, all.spread);
            var trust = all.terms.TrustedUntil(all.asked) - all.asked;
            Assert.InRange(due - all.asked, TimeSpan.FromTicks(1), trust * 0.76);
        });

    [Fact]
    public void A_retry_comes_later_and_never_after_trust_has_ended() => Holds(
        from now in s_instant
        from left in Gen.Choose(1, 6_000_000)
        select (now, left: TimeSpan.FromTicks(left * 100L)),
        all =>
        {
            var retry = LeaseTerms.RetryAt(all.now, all.now + all.left);
            Assert.InRange(retry - all.now, TimeSpan.FromTicks(1), all.left);
            Assert.True(all.left < TimeSpan.FromMilliseconds(2) || retry - all.now < all.left, "A retry that comes with the end is none.");
        });

    [Fact]
    public void In_whatever_order_answers_come_trust_only_grows_and_never_past_what_was_asked_for() => Holds(
        from lockSeconds in Gen.Choose(1, 100)
        from delays in Gen.Choose(0, 100_000).ArrayOf()
        from asked in Gen.Choose(0, 100_000).ArrayOf()
        select (lockSeconds, delays, asked),
        all =>
        {
            using var hand = new KeeperByHand();
            var lease = new Lease(hand.Book, hand.NewDelivery(all.lockSeconds), TimeSpan.Zero, spread: 0);
            var latest = TimeSpan.Zero;
            for (var i = 0; i < all.asked.Length; i++)
            {
                var asked = TimeSpan.FromMilliseconds(all.asked[i]);
                var before = lease.TrustedUntil;
                if (i < all.delays.Length)
                    hand.Book.Renewed(lease, TimeSpan.FromMilliseconds(all.delays[i]), asked);

                lease.Extend(asked, spread: 0.5, isAwaited: i % 2 == 0);

                latest = asked > latest ? asked : latest;
                var leastMargin = Math.Min(0.25, all.lockSeconds / 4.0);
                Assert.InRange(lease.TrustedUntil, before, latest + TimeSpan.FromSeconds(all.lockSeconds - leastMargin));
            }
        });

    [Fact]
    public void The_longest_hold_ends_before_the_broker_ends_it()
    {
        var terms = new LeaseTerms(TimeSpan.FromSeconds(10), TimeSpan.FromSeconds(1), 0.5);

        Assert.Equal(TimeSpan.FromSeconds(29), terms.Limit(TimeSpan.FromSeconds(5), TimeSpan.FromSeconds(25)));
        Assert.Equal(TimeSpan.MaxValue, terms.Limit(TimeSpan.FromSeconds(5), null));
    }

    private static void Holds<T>(Gen<T> gen, Action<T> property) => Prop.ForAll(gen.ToArbitrary(), property).Check(s_many);
}
