using Holdfast.Broker;
using Xunit;

namespace Holdfast.Tests.Kit;

public abstract partial class BrokerContract
{
    [Fact]
    public async Task A_held_message_is_given_to_nobody_else()
    {
        await SendAsync("a");
        await TakeAsync();

        await NothingComesAsync(await OpenAsync());
    }

    [Fact]
    public async Task A_completed_message_never_comes_again()
    {
        await SendAsync("a");
        var delivery = await TakeAsync();

        Assert.True(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
        await Subject.LapseAsync();

        await NothingComesAsync(Receiver);
    }

    [Fact]
    public async Task An_abandoned_message_comes_again_at_once_and_is_counted()
    {
        await SendAsync("a");
        var first = await TakeAsync();

        Assert.True(await Receiver.SettleAsync(first, Settlement.Abandon, default));
        var second = await TakeAsync(await OpenAsync());

        Assert.Equal("a", second.Message.Id);
        Assert.Equal(first.Message.Body.ToArray(), second.Message.Body.ToArray());
        IsDeliveryNumber(2, second);
    }

    [Fact]
    public async Task Each_next_delivery_of_a_message_has_a_larger_fencing_token()
    {
        var (first, second, third) = await TakeThriceAsync("a");

        Assert.True(first.FencingToken < second.FencingToken);
        Assert.True(second.FencingToken < third.FencingToken);
    }

    [Fact]
    public async Task Each_delivery_of_a_message_has_the_same_origin_and_that_of_another_one_under_its_id_has_not()
    {
        var (first, second, third) = await TakeThriceAsync("a");
        await SendAsync("a");
        var other = await TakeAsync();

        Assert.Equal((first.Origin, first.Origin), (second.Origin, third.Origin));
        Assert.NotEqual(0, first.Origin);
        Assert.NotEqual(first.Origin, other.Origin);
    }

    [Fact]
    public async Task An_abandoned_message_goes_to_a_receiver_that_waits()
    {
        await SendAsync("a");
        var delivery = await TakeAsync();
        var waiting = TakeAsync(await OpenAsync());

        Assert.True(await Receiver.SettleAsync(delivery, Settlement.Abandon, default));

        Assert.Equal("a", (await waiting).Message.Id);
    }

    [Fact]
    public async Task A_delayed_message_comes_again_when_its_wait_is_over_and_not_before()
    {
        await SendAsync("a");
        var first = await TakeAsync();

        var before = Subject.Time.GetTimestamp();
        Assert.True(await Receiver.SettleAsync(first, Settlement.Delay(Subject.Delay), default));

        var again = await TakeAfterDelayAsync(before);
        Assert.Equal("a", again.Message.Id);
        IsDeliveryNumber(2, again);
    }

    [Fact]
    public async Task What_a_delay_writes_into_a_message_comes_with_its_next_delivery()
    {
        await Sender.SendAsync(new Message { Id = "a", Properties = new Dictionary<string, object?> { ["mine"] = "kept", ["noted"] = "before" } }, TimeSpan.Zero, default);

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.Delay(Subject.Delay).With(s_notes), default));
        await Subject.PassAsync(Subject.Delay);
        var again = await TakeAsync();
        Assert.True(await Receiver.SettleAsync(again, Settlement.Delay(Subject.Delay).With(new Dictionary<string, object?> { ["noted"] = "twice" }), default));
        await Subject.PassAsync(Subject.Delay);
        var third = await TakeAsync();

        Assert.Equal(("kept", "grün", 7), (again.Message.Properties["mine"], again.Message.Properties["noted"], again.Message.Properties["number"]));
        Assert.Equal(("kept", "twice", 7), (third.Message.Properties["mine"], third.Message.Properties["noted"], third.Message.Properties["number"]));
        Assert.Equal("a", third.Message.Id);
    }

    [Fact]
    public async Task How_its_body_is_packed_a_message_still_tells_after_a_delay_and_as_a_dead_letter()
    {
        await Sender.SendAsync(new Message { Id = "a", ContentType = "application/json", ContentEncoding = "gzip", Body = new byte[] { 31, 139, 8 } }, TimeSpan.Zero, default);

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.Delay(Subject.Delay).With(s_notes), default));
        await Subject.PassAsync(Subject.Delay);
        var again = await TakeAsync();
        Assert.True(await Receiver.SettleAsync(again, Settlement.DeadLetter("BadOrder", "No such article").With(s_notes), default));

        await using var dead = await Subject.Broker.OpenReceiverAsync(Subject.DeadLettersOf(Queue), default);
        var letter = await TakeAsync(dead);
        Assert.All([again.Message, letter.Message], message => Assert.Equal(("application/json", "gzip"), (message.ContentType, message.ContentEncoding)));
        Assert.True(await dead.SettleAsync(letter, Settlement.Complete, default));
    }

    [Fact]
    public async Task What_is_written_into_a_dead_letter_is_there_beside_its_reason()
    {
        await SendAsync("a");

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.DeadLetter("BadOrder", "No such article").With(s_notes), default));

        await using var dead = await Subject.Broker.OpenReceiverAsync(Subject.DeadLettersOf(Queue), default);
        var letter = await TakeAsync(dead);
        Assert.Equal(("grün", 7), (letter.Message.Properties["noted"], letter.Message.Properties["number"]));
        Assert.Equal(("BadOrder", "No such article"), Subject.ReasonOf(letter));
        Assert.True(await dead.SettleAsync(letter, Settlement.Complete, default));
    }

    [Fact]
    public async Task What_no_message_can_hold_keeps_none_from_being_delayed_or_put_aside()
    {
        var notes = new Dictionary<string, object?>(s_notes) { ["unheard of"] = new Version(1, 2) };
        await SendAsync("a");

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.Delay(Subject.Delay).With(notes), default));
        await Subject.PassAsync(Subject.Delay);
        var again = await TakeAsync();
        Assert.True(await Receiver.SettleAsync(again, Settlement.DeadLetter("BadOrder", "No such article").With(notes), default));

        await using var dead = await Subject.Broker.OpenReceiverAsync(Subject.DeadLettersOf(Queue), default);
        var letter = await TakeAsync(dead);
        Assert.Equal(("grün", 7), (again.Message.Properties["noted"], again.Message.Properties["number"]));
        Assert.Equal(("grün", 7), (letter.Message.Properties["noted"], letter.Message.Properties["number"]));
        Assert.True(await dead.SettleAsync(letter, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_dead_letter_is_put_aside_with_its_reason()
    {
        await Sender.SendAsync(
            new Message
            {
                Id = "a",
                Body = new byte[] { 1, 2, 3 },
                CorrelationId = "c",
                Properties = new Dictionary<string, object?> { ["mine"] = "kept" },
            },
            TimeSpan.Zero,
            default);

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.DeadLetter("BadOrder", "No such article"), default));
        await NothingComesAsync(Receiver);

        await using var dead = await Subject.Broker.OpenReceiverAsync(Subject.DeadLettersOf(Queue), default);
        var letter = await TakeAsync(dead);
        Assert.Equal("a", letter.Message.Id);
        Assert.Equal(new byte[] { 1, 2, 3 }, letter.Message.Body.ToArray());
        Assert.Equal("c", letter.Message.CorrelationId);
        Assert.Equal("kept", letter.Message.Properties["mine"]);
        Assert.Equal(("BadOrder", "No such article"), Subject.ReasonOf(letter));
        Assert.True(await dead.SettleAsync(letter, Settlement.Complete, default));
    }

    [Fact]
    public async Task A_reason_that_was_cut_within_a_character_is_one_all_the_same()
    {
        await SendAsync(1);

        Assert.True(await Receiver.SettleAsync(await TakeAsync(), Settlement.DeadLetter("BadOrder", "No such \ud83d"), default));

        await using var dead = await Subject.Broker.OpenReceiverAsync(Subject.DeadLettersOf(Queue), default);
        var letter = await TakeAsync(dead);
        Assert.Equal("BadOrder", Subject.ReasonOf(letter).Reason);
        Assert.True(await dead.SettleAsync(letter, Settlement.Complete, default));
    }

    [Fact]
    public async Task Each_of_many_held_messages_is_settled_by_its_own_receipt()
    {
        await SendAsync(6);
        var held = await TakeAsync(Receiver, 6);

        foreach (var delivery in held.Where((_, n) => n % 2 == 1))
            Assert.True(await Receiver.SettleAsync(delivery, Settlement.Complete, default));
        foreach (var delivery in held.Where((_, n) => n % 2 == 0))
            Assert.True(await Receiver.SettleAsync(delivery, Settlement.Abandon, default));

        var again = await TakeAsync(Receiver, 3);
        Assert.Equal(Ids(held.Where((_, n) => n % 2 == 0)).Order(), Ids(again).Order());
        await NothingComesAsync(Receiver);
    }

    [Fact]
    public async Task Closing_a_receiver_ends_its_wait()
    {
        var waiting = Receiver.ReceiveAsync(new Delivery[1], default).AsTask();
        await Subject.QuietAsync();

        await Receiver.DisposeAsync();

        await EndsAsync(waiting);
    }

    [Fact]
    public async Task Closing_the_broker_ends_all_waits()
    {
        var other = await OpenAsync();
        var waiting = new[] { Receiver, other }.Select(receiver => receiver.ReceiveAsync(new Delivery[1], default).AsTask()).ToArray();
        await Subject.QuietAsync();

        await Subject.Broker.DisposeAsync();

        foreach (var wait in waiting)
            await EndsAsync(wait);
    }

    [Fact]
    public async Task Closing_a_receiver_leaves_the_other_ones_alone()
    {
        var other = await OpenAsync();
        var waiting = TakeAsync(other);

        await Receiver.DisposeAsync();
        await SendAsync("a");

        Assert.Equal("a", (await waiting).Message.Id);
    }

    private async Task EndsAsync(Task wait)
    {
        var failure = await Record.ExceptionAsync(() => wait.WaitAsync(Subject.Patience));
        Assert.True(failure is OperationCanceledException or BrokerException, $"The wait ended with {failure}.");
    }

    // One message, given back and then delayed.
    private async Task<(Delivery First, Delivery Second, Delivery Third)> TakeThriceAsync(string id)
    {
        await SendAsync(id);
        var first = await TakeAsync();
        Assert.True(await Receiver.SettleAsync(first, Settlement.Abandon, default));
        var second = await TakeAsync(await OpenAsync());
        Assert.True(await Receiver.SettleAsync(second, Settlement.Delay(Subject.Delay), default));
        await Subject.PassAsync(Subject.Delay);
        return (first, second, await TakeAsync());
    }
}
