using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class SweepTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly ServerAddress s_server = ServerAddress.Parse("amqp://host");

    private readonly VirtualTime _time = new();
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly TaskCompletionSource _committing = new();
    private FakeChannel _window = FakeChannel.Open();

    [Fact]
    public async Task A_commit_that_is_answered_in_time_counts()
    {
        await using var sweep = await TakenAsync();
        _committing.SetResult();

        await sweep.CommitAsync(default).AsTask().WaitAsync(s_patience);

        Assert.Equal(1, sweep.Committed);
    }

    [Fact]
    public async Task A_commit_that_nobody_answers_is_told_as_not_known_and_never_said_twice()
    {
        await using var sweep = await TakenAsync();
        var committing = sweep.CommitAsync(default).AsTask();

        _time.Advance(TimeSpan.FromMinutes(1));

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => committing.WaitAsync(s_patience)), "either all of it or none");
        _window.Asked();
        await sweep.CommitAsync(default);
        Assert.Empty(_window.Asked());
        Assert.Equal(0, sweep.Committed);
    }

    [Fact]
    public async Task A_commit_whose_channel_ends_before_the_answer_is_told_as_not_known()
    {
        await using var sweep = await TakenAsync();
        _committing.SetException(new IOException("gone"));

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience)), "either all of it or none");
    }

    [Theory]
    [InlineData("PRECONDITION_FAILED - partial tx completion", true)]
    [InlineData("PRECONDITION_FAILED - delivery acknowledgement on channel 3 timed out", false)]
    public async Task Only_a_commit_that_was_refused_in_part_is_put_back(string reason, bool isPutBack)
    {
        await using var sweep = await TakenAsync();
        _window.CloseReason = new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.PreconditionFailed, reason);
        _committing.SetException(new IOException("gone"));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => sweep.CommitAsync(default).AsTask().WaitAsync(s_patience));

        Assert.Equal(isPutBack, _connection.Channels[^1].Asked().Contains("publish"));
        Assert.Equal(isPutBack, problem.Message.Contains("refused part of a batch", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_queue_that_ends_while_a_batch_is_committed_may_have_the_originals_still()
    {
        await using var sweep = await TakenAsync();
        var committing = sweep.CommitAsync(default).AsTask();
        await _window.CancelAsync();
        _committing.SetResult();

        IsInDoubt(await Assert.ThrowsAsync<BrokerException>(() => committing.WaitAsync(s_patience)), "some of it or all");
        Assert.Equal(0, sweep.Committed);
    }

    private static void IsInDoubt(BrokerException problem, string whatHasLeft)
    {
        Assert.Contains($"a batch of 1 messages", problem.Message, StringComparison.OrdinalIgnoreCase);
        Assert.Contains($"{whatHasLeft} has left 'orders.dead'", problem.Message, StringComparison.Ordinal);
        Assert.Contains("Look", problem.Message, StringComparison.Ordinal);
    }

    private async Task<Sweep> TakenAsync()
    {
        _connection.Ready = 1;
        _connection.Answer = question => question == "commit" ? _committing.Task : Task.CompletedTask;
        var sweep = new Sweep(
            _connection.Connection, new Questions(s_server, _time), "orders.dead", target: null, most: null, _ => null, _time, problem => Problems.Of(problem, s_server, "orders.dead"));
        await sweep.OpenAsync(default);
        var next = sweep.NextAsync(default);
        _window = _connection.Channels[^1];
        await _window.DeliverAsync(1, "a");
        await sweep.TakeAsync((await next)!, default);
        return sweep;
    }
}
