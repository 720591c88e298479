using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What handlers' own unit tests are made with.</summary>
public sealed class HeldMessageTests
{
    private static readonly Message s_message = new() { Id = "a" };

    [Fact]
    public void A_test_plays_any_attempt_session_and_fencing_token()
    {
        var session = new InSession("s");

        var held = new HeldMessage("orders", s_message, deliveryCount: 3, attempt: 2, session: session, fencingToken: 70);

        Assert.Equal((3, 2, session, 70), (held.DeliveryCount, held.Attempt, held.Session, held.FencingToken));
        var other = held.With(new Message { Id = "b" });
        Assert.Equal((2, session, 70), (other.Attempt, other.Session, other.FencingToken));
    }

    [Fact]
    public void What_a_test_leaves_out_is_that_of_a_first_attempt_in_no_session()
    {
        var held = new HeldMessage("orders", s_message, deliveryCount: 3);

        Assert.Equal((1, null, 3), (held.Attempt, held.Session, held.FencingToken));
    }

    [Fact]
    public void An_ending_with_no_properties_at_all_is_refused_where_it_is_written() =>
        Assert.Throws<ArgumentNullException>(() => Settlement.DeadLetter("odd", "Odd.").With(null!));

    [Fact]
    public void So_is_what_names_no_queue_or_holds_no_message()
    {
        var held = new HeldMessage("orders", s_message);

        Assert.Throws<ArgumentNullException>("queue", () => held.Publish(null!, s_message));
        Assert.Throws<ArgumentException>("queue", () => held.Publish("", s_message));
        Assert.Throws<ArgumentNullException>("message", () => held.Publish("next", null!));
        Assert.Throws<ArgumentNullException>("message", () => held.With(null!));
        Assert.Empty(held.Published);
    }
}
