using Holdfast.Broker;
using Holdfast.Virtual;
using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>A failure ends what is being sent at once, whatever is waited for.</summary>
public sealed class PostingTests : IAsyncDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_turn = TimeSpan.FromSeconds(100);

    private readonly VirtualTime _time = new();
    private readonly Counter _counter = new();

    [Fact]
    public async Task A_failure_anywhere_on_the_way_ends_the_wait_for_the_next_turn()
    {
        var posting = Slowly();
        var sending = SendThree(posting);

        _counter.Refuse(3);
        _counter.Confirm(2);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));
        Assert.Equal("Message 3 is refused.", problem.Message);
        Assert.Equal((2, 0, 1, 3), (posting.Sent, posting.InDoubt, posting.Refused, _counter.Taken));
    }

    [Fact]
    public async Task Without_a_pause_nothing_more_is_sent_either()
    {
        var posting = new Posting(_counter, TimeSpan.Zero, rate: null, _time);
        var sending = posting.RunAsync(Endless(), new Progress<long>(), default);
        _counter.Confirm(1);
        var taken = _counter.Taken;

        _counter.Refuse(7);
        for (var number = 2; number <= taken; number++)
            _counter.Confirm(number);

        await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));
        Assert.Equal((taken - 1, 1, taken), (posting.Sent, posting.Refused, _counter.Taken));
    }

    [Fact]
    public async Task Of_several_failures_the_first_is_told_for_the_others_may_come_of_it()
    {
        var posting = Slowly();
        var sending = SendThree(posting);

        _counter.Refuse(3);
        _counter.Lose(2);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience));
        Assert.Equal("Message 3 is refused.", problem.Message);
        Assert.Equal((1, 1, 1), (posting.Sent, posting.InDoubt, posting.Refused));
    }

    [Fact]
    public async Task Of_what_has_surely_not_left_it_is_not_said_that_nobody_knows()
    {
        var posting = Slowly();
        var sending = SendThree(posting);

        _counter.Keep(3);
        _counter.Lose(2);

        Assert.Equal("Message 3 has not left.", (await Assert.ThrowsAsync<BrokerException>(() => sending.WaitAsync(s_patience))).Message);
        Assert.Equal((1, 1, 0, 1), (posting.Sent, posting.InDoubt, posting.Refused, posting.Unsent));
    }

    [Fact]
    public async Task Who_is_told_to_stop_was_stopped_whatever_becomes_of_what_is_on_its_way()
    {
        using var stop = new CancellationTokenSource();
        var posting = Slowly();
        var sending = posting.RunAsync(Endless(), new Progress<long>(), stop.Token);

        await stop.CancelAsync();
        Assert.False(sending.IsCompleted);
        _counter.Lose(1);

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => sending.WaitAsync(s_patience));
        Assert.Equal((0, 1, 0), (posting.Sent, posting.InDoubt, posting.Refused));
    }

    public ValueTask DisposeAsync() => _counter.DisposeAsync();

    // One has arrived, two more are on their way, and the turn of the next is far.
    private Task SendThree(Posting slowly)
    {
        var sending = slowly.RunAsync(Endless(), new Progress<long>(), default);
        _counter.Confirm(1);
        _time.Advance(s_turn);
        _time.Advance(s_turn);
        return sending;
    }

    private Posting Slowly() => new(_counter, TimeSpan.Zero, 1 / s_turn.TotalSeconds, _time);

    private static IAsyncEnumerable<Message> Endless() => Enumerable.Repeat(new Message { Id = "a" }, int.MaxValue).ToAsyncEnumerable();

    /// <summary>A broker's counter, over which answers come when the test says so. Messages have numbers, from 1.</summary>
    private sealed class Counter : ISender
    {
        private readonly List<TaskCompletionSource> _answers = [];

        public int Taken => _answers.Count;

        public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
        {
            var answer = new TaskCompletionSource();
            _answers.Add(answer);
            return new(answer.Task);
        }

        public void Confirm(int number) => _answers[number - 1].TrySetResult();

        public void Refuse(int number) => _answers[number - 1].SetException(new BrokerException($"Message {number} is refused.", isTransient: false));

        public void Lose(int number) => _answers[number - 1].SetException(new BrokerException($"The connection ended before message {number} was confirmed.", isTransient: true));

        public void Keep(int number) => _answers[number - 1].SetException(new BrokerException($"Message {number} has not left.", isTransient: true) { IsUnsent = true });

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
