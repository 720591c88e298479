using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;
using Microsoft.Extensions.Logging.Abstractions;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>Which messages are taken for one that was handled already: itself, and no other under its id.</summary>
public sealed class SamenessTests : IDisposable
{
    private readonly List<string> _runs = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Theory]
    [InlineData("order-42", "one", "two", 0)]
    [InlineData("order-42", "one", "one", 0.5)]
    [InlineData("", "one", "one", 0)]
    public void One_that_comes_again_is_handled_while_another_under_its_id_is_being_settled(string id, string first, string second, double later)
    {
        var hand = Start(message => _runs.Count == 1 ? Settlement.Delay(TimeSpan.FromSeconds(1)) : Settlement.Complete);

        hand.Send(Message(id, first));
        hand.Run(later);
        hand.Faults.Settlements.Slow(TimeSpan.FromSeconds(4));
        hand.Send(Message(id, second));
        hand.Run(30);

        Assert.Equal([$"{first} 1", $"{second} 1", $"{first} 2"], _runs);
    }

    [Theory]
    [InlineData("order-42", "one", "two", 0)]
    [InlineData("order-42", "one", "one", 0.5)]
    [InlineData("", "one", "one", 0)]
    public void One_that_comes_again_is_handled_although_another_under_its_id_was_stored(string id, string first, string second, double later)
    {
        var hand = Start(message => _runs.Count == 2 ? Settlement.Delay(TimeSpan.FromSeconds(1)) : Settlement.Complete, new InMemoryIdempotencyStore());

        hand.Send(Message(id, first));
        hand.Run(later);
        hand.Send(Message(id, second));
        hand.Run(30);

        Assert.Equal([$"{first} 1", $"{second} 1", $"{second} 2"], _runs);
    }

    [Fact]
    public void One_that_could_not_be_settled_is_known_by_all_three()
    {
        var completed = new Completed("orders", null, new VirtualTime(), NullLogger.Instance);
        completed.Remember(new Bare("a", "one", DateTimeOffset.UnixEpoch));
        completed.Remember(new Bare(""));

        Assert.True(completed.Contains(new Bare("a", "one", DateTimeOffset.UnixEpoch) { DeliveryCount = 2 }));
        Assert.False(completed.Contains(new Bare("b", "one", DateTimeOffset.UnixEpoch)));
        Assert.False(completed.Contains(new Bare("a", "two", DateTimeOffset.UnixEpoch)));
        Assert.False(completed.Contains(new Bare("a", "one", DateTimeOffset.UnixEpoch.AddMilliseconds(1))));
        Assert.False(completed.Contains(new Bare("")));
    }

    [Theory]
    [InlineData("")]
    [InlineData("made up")]
    public async Task What_has_no_name_no_store_hears_of(string id)
    {
        var store = new InMemoryIdempotencyStore();
        var completed = new Completed("orders", store, new VirtualTime(), NullLogger.Instance);

        await completed.StoreAsync(new Bare(id) { IsNameless = id.Length > 0 });
        Assert.True(store.IsEmpty);

        await completed.StoreAsync(new Bare("a"));
        Assert.False(store.IsEmpty);
    }

    [Fact]
    public void What_has_no_name_is_not_even_itself()
    {
        var delivery = new Bare("made up") { IsNameless = true };

        Assert.False(Sameness.AreOne(delivery, delivery));
        Assert.Null(Sameness.KeyOf(delivery));
    }

    [Fact]
    public async Task What_is_sent_to_several_sessions_at_once_under_one_id_is_as_many_messages()
    {
        var completed = new Completed("orders", new InMemoryIdempotencyStore(), new VirtualTime(), NullLogger.Instance);
        Bare[] all = [To(null), To("north"), To("south")];

        await completed.StoreAsync(To("north"));

        var known = await Task.WhenAll(all.Select(one => completed.IsStoredAsync(one, default).AsTask()));
        Assert.Equal([false, true, false], known);
        Assert.Equal([false, true, false], all.Select(one => Sameness.AreOne(one, To("north"))));

        static Bare To(string? session) => new("a", "one") { Message = new Message { Id = "a", SessionId = session } };
    }

    [Fact]
    public void A_key_begins_with_the_id_for_whoever_looks_into_a_store() =>
        Assert.Equal("order-42 621355968000000000 44136fa355b3678a", Sameness.KeyOf(new Bare("order-42", "{}", DateTimeOffset.UnixEpoch)));

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void One_that_comes_by_a_session_may_have_come_before_whatever_is_counted(bool hasSession)
    {
        var hand = Start(_ => Settlement.Complete);
        var delivery = new Bare("a", "one") { ArrivedAt = hand.Time.GetTimestamp(), Session = hasSession ? new InSession("north") : null };
        var journey = new Journey(hand.Queue, hand.Keeper.Hold(hand.Queue.Leases, delivery), hand.Keeper);
        hand.Queue.Completed.Remember(delivery);

        journey.Start();
        hand.Run(0);

        Assert.Equal(hasSession ? [] : ["one 1"], _runs);
    }

    private static Message Message(string id, string body) => new() { Id = id, Body = Encoding.UTF8.GetBytes(body) };

    private EngineByHand Start(Func<HeldMessage, Settlement> handle, IIdempotencyStore? store = null) =>
        _hand = new EngineByHand(
            (message, _) =>
            {
                _runs.Add($"{Encoding.UTF8.GetString(message.Body.Span)} {message.DeliveryCount}");
                return new(handle(message));
            },
            store: store).Start();
}
