using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class TargetTests
{
    private readonly FakeConnection _connection = FakeConnection.Open();

    private IEnumerable<string> Asked => _connection.Channels.SelectMany(channel => channel.Asked());

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_queue_that_is_there_is_taken_as_it_is_whoever_may_own_it(bool declare)
    {
        await OpenSenderAsync("billing", declare);

        Assert.Equal(["look"], Asked);
    }

    [Theory]
    [InlineData("billing", "look", "declare billing", "declare billing.dead")]
    [InlineData("billing.dead", "look", "declare billing.dead")]
    public async Task A_queue_that_is_missing_is_declared_as_its_receiver_would_declare_it(string queue, params string[] asked)
    {
        _connection.Answer = Missing;

        await OpenSenderAsync(queue, declare: true);

        Assert.Equal(asked, Asked);
    }

    [Fact]
    public async Task A_queue_that_is_missing_and_not_to_be_declared_is_told()
    {
        _connection.Answer = Missing;

        var problem = await Assert.ThrowsAsync<BrokerException>(() => OpenSenderAsync("billing", declare: false));

        Assert.Contains("has no queue 'billing'", problem.Message, StringComparison.Ordinal);
        Assert.Equal(["look"], Asked);
    }

    [Fact]
    public async Task Retries_that_the_server_can_not_delay_are_no_matter_of_a_sender_s()
    {
        await OpenSenderAsync("billing", declare: false, DelayedRetry.Native);

        Assert.Equal(["look"], Asked);
    }

    [Fact]
    public async Task A_name_that_no_server_takes_is_told_and_never_asked_for()
    {
        await OpenSenderAsync(new string('q', 255), declare: false);

        var problem = await Assert.ThrowsAsync<BrokerException>(() => OpenSenderAsync(new string('q', 256), declare: false));

        Assert.Equal(($"A queue's name is 256 bytes long, and there is room for 255; shorten it: {new string('q', 40)}...", false), (problem.Message, problem.IsTransient));
        Assert.Equal(["look"], Asked);
    }

    private static Task Missing(string question) => question == "look"
        ? Task.FromException(new OperationInterruptedException(new ShutdownEventArgs(ShutdownInitiator.Peer, Constants.NotFound, "NOT_FOUND - no queue 'billing' in vhost '/'")))
        : Task.CompletedTask;

    private async Task OpenSenderAsync(string queue, bool declare, DelayedRetry retry = DelayedRetry.WaitQueues)
    {
        await using var broker = new RabbitMqBroker(
            new() { Uri = "amqp://host", Declare = declare, DelayedRetry = retry },
            _ => Task.FromResult(_connection.Connection));
        await using var sender = await broker.OpenSenderAsync(queue, CancellationToken.None);
    }
}
