using System.Net;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq.Desk;

public sealed class InspectionTests
{
    private static readonly RabbitMqBrokerOptions s_options = new() { Uri = "amqp://host", Declare = true };

    private readonly FakeConnection _connection = FakeConnection.Open();

    [Theory]
    [InlineData("orders")]
    [InlineData("orders.dead")]
    public async Task Of_a_queue_and_the_one_for_its_dead_letters_that_is_asked_which_a_worker_would_declare(string queue)
    {
        await InspectAsync(queue, management: null);

        var declared = _connection.Channels.SelectMany(channel => channel.Declared).ToDictionary();
        Assert.Equal(queue == "orders" ? QueueArguments.OfWork("orders", s_options) : QueueArguments.OfDeadLetters(s_options), declared[queue]);
        Assert.Equal(QueueArguments.OfDeadLetters(s_options), declared[$"{queue}.dead"]);
    }

    [Fact]
    public async Task A_queue_that_the_worker_will_declare_is_not_missed_by_the_management_API()
    {
        _connection.Answer = question => question switch
        {
            "look" or "consume" => Refused(Constants.NotFound, "NOT_FOUND - no queue 'orders' in vhost '/'"),
            "declare orders" or "declare orders.dead" => Refused(Constants.PreconditionFailed, "PRECONDITION_FAILED - invalid arg 'x-max-age' for queue 'orders'"),
            _ => Task.CompletedTask,
        };

        var findings = await InspectAsync("orders", new NoQueues());

        Assert.DoesNotContain(findings, finding => finding.Severity == Severity.Error);
        Assert.Contains(findings, finding => finding.Text == "The queue 'orders.dead' is not there yet: the worker will declare it.");
    }

    [Fact]
    public async Task A_management_API_that_misses_a_queue_which_is_there_is_another_server_s() =>
        Assert.Equal(
            "The management API at http://host:15672 has no queue 'orders' in virtual host '/'. Check Worker__RabbitMq__ManagementUri, or leave it out.",
            Assert.Single(await InspectAsync("orders", new NoQueues()), finding => finding.Severity == Severity.Error).Text);

    [Fact]
    public async Task A_queue_that_is_missing_is_told_once_and_the_management_API_is_not_to_blame()
    {
        _connection.Answer = question => question is "look" or "consume" ? Refused(Constants.NotFound, "NOT_FOUND - no queue 'orders' in vhost '/'") : Task.CompletedTask;

        var findings = await InspectAsync("orders", new NoQueues(), declare: false);

        Assert.Equal(2, findings.Count(finding => finding.Severity == Severity.Error));
        Assert.DoesNotContain(findings, finding => finding.Text.Contains("ManagementUri", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_virtual_host_that_refuses_after_the_connection_is_there_is_all_that_is_told()
    {
        _connection.Opening = () => Refused(Constants.NotAllowed, "NOT_ALLOWED - vhost / not found");

        var finding = Assert.Single(await InspectAsync("orders", new NoQueues()));

        Assert.Equal(Severity.Error, finding.Severity);
        Assert.StartsWith("RabbitMQ at amqp://guest@host:5672/ does not let user 'guest' use virtual host '/'", finding.Text);
    }

    [Fact]
    public async Task A_server_that_takes_no_messages_is_told_once_and_what_it_does_not_answer_then_is_not_asked()
    {
        _connection.Answer = question =>
        {
            if (question != "publish whether or not there is its queue")
                return Task.CompletedTask;
            _ = _connection.BlockAsync("low on disk");
            return Task.FromException(new UnansweredException(Questions.Patience));
        };

        var findings = await InspectAsync("orders", management: null);

        var problem = Assert.Single(findings, finding => finding.Severity == Severity.Error);
        Assert.StartsWith("What is delayed or put aside can't be sent on: RabbitMQ at host:5672 takes no messages at present (low on disk)", problem.Text);
        Assert.DoesNotContain(findings, finding => finding.Text.Contains("declare wait queues", StringComparison.Ordinal));
    }

    [Fact]
    public async Task A_queue_that_the_server_says_is_a_stream_is_no_queue_to_work_off()
    {
        _connection.Version = "3.10.8";
        _connection.Answer = question => question == "consume"
            ? Refused(Constants.PreconditionFailed, "PRECONDITION_FAILED - invalid arg 'x-cancel-on-ha-failover' for queue 'orders' in vhost '/' of queue type rabbit_stream_queue")
            : Task.CompletedTask;

        var problem = await Assert.ThrowsAsync<BrokerException>(() =>
            ConsumerArguments.OfAsync(new Questions(ServerAddress.Parse(s_options.Uri), TimeProvider.System), _connection.Connection, "orders", type: null, default));

        Assert.Equal((Problems.IsStream("orders"), false), (problem.Message, problem.IsTransient));
    }

    private static Task Refused(ushort code, string why) =>
        Task.FromException(new OperationInterruptedException(new ShutdownEventArgs(ShutdownInitiator.Peer, code, why)));

    private async Task<List<Finding>> InspectAsync(string queue, HttpMessageHandler? management, bool declare = true)
    {
        var options = declare ? s_options : new() { Uri = s_options.Uri };
        var address = ServerAddress.Parse(s_options.Uri);
        using var api = management is null ? null : new ManagementApi(ManagementAddress.Parse("http://host:15672"), management);
        await using var link = new Link(options, address, "desk", _ => Task.FromResult(_connection.Connection));
        var findings = new List<Finding>();
        await foreach (var finding in new Inspection(options, address, link, new Questions(address, TimeProvider.System), api, queue, maxDeliveries: 10).RunAsync(default))
            findings.Add(finding);
        return findings;
    }

    /// <summary>A management API that knows of no queues.</summary>
    private sealed class NoQueues : HttpMessageHandler
    {
        protected override Task<HttpResponseMessage> SendAsync(HttpRequestMessage request, CancellationToken cancel) => Task.FromResult(
            request.RequestUri!.Query.Contains("use_regex", StringComparison.Ordinal)
                ? new HttpResponseMessage(HttpStatusCode.OK) { Content = new StringContent("""{"items":[]}""") }
                : new HttpResponseMessage(HttpStatusCode.NotFound) { Content = new StringContent("{}") });
    }
}
