using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class QuestionsTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly ServerAddress s_server = ServerAddress.Parse("amqp://host");

    private readonly VirtualTime _time = new();
    private readonly TaskCompletionSource _answering = new();
    private readonly FakeConnection _connection = FakeConnection.Open();
    private readonly Questions _questions;
    private readonly Topology _topology;

    public QuestionsTests()
    {
        _connection.Answer = _ => _answering.Task;
        _questions = new Questions(s_server, _time);
        _topology = new Topology(new RabbitMqBrokerOptions { Uri = "amqp://host" }, s_server, _questions);
    }

    [Fact]
    public async Task A_queue_that_does_not_answer_is_told_with_its_name_and_how_long_it_was_waited_for()
    {
        var opening = _topology.EnsureAsync(_connection.Connection, "orders", default);

        _time.Advance(Questions.Patience - TimeSpan.FromTicks(1));
        Assert.False(opening.IsCompleted);
        _time.Advance(TimeSpan.FromTicks(1));

        var problem = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_patience));
        Assert.True(problem.IsTransient);
        Assert.Contains("RabbitMQ at amqp://guest@host:5672/ does not answer when it is asked for queue 'orders', not within 10 s", problem.Message, StringComparison.Ordinal);
        Assert.Contains("list_unresponsive_queues", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Who_asks_again_for_a_queue_that_hangs_waits_for_the_same_answer_and_costs_no_further_channel()
    {
        for (var i = 0; i < 3; i++)
        {
            var asking = LookAsync("orders");
            _time.Advance(Questions.Patience);
            await Assert.ThrowsAsync<BrokerException>(() => asking.WaitAsync(s_patience));
        }

        var last = LookAsync("orders");
        Assert.Single(_connection.Channels);
        Assert.False(_connection.Channels[0].IsDisposed);
        _answering.SetResult();

        await last.WaitAsync(s_patience);
        Assert.True(_connection.Channels[0].IsDisposed);
    }

    [Fact]
    public async Task What_was_answered_is_asked_anew()
    {
        _answering.SetResult();

        await LookAsync("orders").WaitAsync(s_patience);
        await LookAsync("orders").WaitAsync(s_patience);

        Assert.Equal(2, _connection.Channels.Count);
    }

    [Fact]
    public async Task A_queue_that_hangs_keeps_nobody_from_asking_for_another()
    {
        _ = LookAsync("orders");
        _connection.Answer = _ => Task.CompletedTask;

        await LookAsync("letters").WaitAsync(s_patience);
    }

    [Fact]
    public async Task Who_no_longer_wants_to_know_waits_no_longer()
    {
        using var stop = new CancellationTokenSource();
        var opening = _topology.EnsureAsync(_connection.Connection, "orders", stop.Token);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => opening.WaitAsync(s_patience));
    }

    private Task<QueueDeclareOk> LookAsync(string queue) => _questions.LookAsync(_connection.Connection, queue, default);
}
