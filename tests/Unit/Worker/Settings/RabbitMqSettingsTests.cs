using Holdfast.Broker.RabbitMq;
using Holdfast.Consumer;
using Holdfast.Worker.Settings;
using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class RabbitMqSettingsTests
{
    private static readonly string[] s_rabbit = ["Worker__Broker=RabbitMq", "Worker__Handler=Demo", "ConnectionStrings__RabbitMq=amqps://me:secret@one,two:5673/shop"];

    [Fact]
    public void All_that_is_set_reaches_the_broker()
    {
        var settings = Read([
            .. s_rabbit, "Worker__RabbitMq__Heartbeat=5s", "Worker__RabbitMq__Declare=true", "Worker__RabbitMq__QueueType=classic", "Worker__RabbitMq__MaxPriority=9",
            "Worker__RabbitMq__ConsumerTimeout=1h", "Worker__RabbitMq__ManagementUri=http://one:15672", "Worker__RabbitMq__DelayedRetry=WaitQueues",
            "Worker__Retry__Delay=7s", "Worker__Retry__MaxDelay=70s"]);

        var options = settings.RabbitMq(TimeProvider.System);

        Assert.Equal("amqps://me:secret@one,two:5673/shop", options.Uri);
        Assert.Equal((TimeSpan.FromSeconds(5), TimeSpan.FromHours(1)), (options.Heartbeat, options.ConsumerTimeout));
        Assert.Equal((true, QueueType.Classic, 9), (options.Declare, options.QueueType, options.MaxPriority));
        Assert.Equal(("http://one:15672", DelayedRetry.WaitQueues), (options.ManagementUri, options.DelayedRetry));
        Assert.Equal((TimeSpan.FromSeconds(7), TimeSpan.FromSeconds(70)), (options.NativeRetryDelay, options.NativeRetryMaxDelay));
        Assert.Same(TimeProvider.System, options.TimeProvider);
    }

    [Fact]
    public void The_files_of_TLS_reach_the_broker()
    {
        var options = new RabbitMqOptions { CaFile = "ca.pem", ClientCertificateFile = "client.pem", ClientKeyFile = "key.pem" }
            .With("amqps://one", new RetryOptions(), TimeProvider.System);

        Assert.Equal(("ca.pem", "client.pem", "key.pem"), (options.CaFile, options.ClientCertificateFile, options.ClientKeyFile));
    }

    [Fact]
    public void What_is_not_set_is_as_the_broker_has_it()
    {
        var (own, broker) = (new RabbitMqOptions().With("amqp://one", new RetryOptions(), TimeProvider.System), new RabbitMqBrokerOptions { Uri = "amqp://one" });

        Assert.All(typeof(RabbitMqBrokerOptions).GetProperties(), p => Assert.Equal(p.GetValue(broker), p.GetValue(own)));
    }

    [Fact]
    public void Each_option_of_the_broker_s_is_a_setting() =>
        Assert.Equal(
            typeof(RabbitMqBrokerOptions).GetProperties().Select(p => p.Name).Except(["Uri", "NativeRetryDelay", "NativeRetryMaxDelay", "TimeProvider"]).Order(),
            SettingsSection.Names(new RabbitMqOptions()).Order());

    [Fact]
    public void Whoever_reads_the_terminal_sees_where_the_broker_is_but_no_password() =>
        Assert.Equal("RabbitMq at amqps://me@one:5671,two:5673/shop", Read(s_rabbit).Broker);

    [Theory]
    [InlineData("ConnectionStrings__RabbitMq=", "ConnectionStrings__RabbitMq: It is not set; set an address such as amqp://user:password@host:5672/vhost.")]
    [InlineData("ConnectionStrings__RabbitMq=http://me:secret@one", "ConnectionStrings__RabbitMq: It does not begin with amqp:// or amqps://; set an address such as amqp://user:password@host:5672/vhost.")]
    [InlineData("ConnectionStrings__RabbitMq=amqp://me:secret", "ConnectionStrings__RabbitMq: Its port is not a number from 1 to 65535; write host:5672, and an @ between password and host.")]
    [InlineData("Worker__RabbitMq__Heartbeat=0s", "Worker__RabbitMq__Heartbeat: 0s is out of range; set whole seconds, 1s to 10m.")]
    [InlineData("Worker__RabbitMq__Heartbeat=601s", "Worker__RabbitMq__Heartbeat: 601s is out of range; set whole seconds, 1s to 10m.")]
    [InlineData("Worker__RabbitMq__Heartbeat=1500ms", "Worker__RabbitMq__Heartbeat: 1500ms is out of range; set whole seconds, 1s to 10m.")]
    [InlineData("Worker__RabbitMq__ConsumerTimeout=9s", "Worker__RabbitMq__ConsumerTimeout: 9s is too short; set what the server's consumer_timeout is, and at least 10s, which is Worker__RabbitMq__Heartbeat.")]
    [InlineData("Worker__RabbitMq__ConsumerTimeout=25d", "Worker__RabbitMq__ConsumerTimeout: 2160000s is too long; set at most 24d.")]
    [InlineData("Worker__Lease__MaxMargin=10s", "Worker__Lease__MaxMargin: 10s is too long; set less than 10s, which is Worker__RabbitMq__Heartbeat.")]
    [InlineData("Worker__RabbitMq__MaxPriority=256", "Worker__RabbitMq__MaxPriority: '256' can't be read; set a whole number, 0 to 255.")]
    [InlineData("Worker__RabbitMq__QueueType=Stream", "Worker__RabbitMq__QueueType: 'Stream' can't be read; set Quorum or Classic.")]
    [InlineData("Worker__RabbitMq__ClientKeyFile=key.pem", "Worker__RabbitMq__ClientKeyFile: A key is of no use without its certificate; set Worker__RabbitMq__ClientCertificateFile too.")]
    [InlineData("Worker__RabbitMq__CaFile=none.pem", "Worker__RabbitMq__CaFile: There is no file none.pem; set the path of a PEM file.")]
    [InlineData("Worker__RabbitMq__ManagementUri=one:15672", "Worker__RabbitMq__ManagementUri: It is no http:// or https:// address; set one such as http://user:password@host:15672.")]
    public void What_can_not_be_is_told_in_a_line(string set, string line) => Assert.Equal([line], Mistakes([.. s_rabbit, set]));

    [Fact]
    public void A_queue_s_name_leaves_room_for_those_of_its_wait_queues()
    {
        var longest = $"{new string('ü', 100)}{new string('o', 32)}";

        Read([.. s_rabbit, $"Worker__Queue={longest}"]);
        Assert.Equal(
            [$"Worker__Queue: {longest}o is too long; set at most 232 bytes: the names of its wait queues begin with it, and RabbitMQ takes 255."],
            Mistakes([.. s_rabbit, $"Worker__Queue={longest}o"]));
    }

    [Fact]
    public void Classic_queues_keep_nothing_back_by_themselves() =>
        Assert.Equal(
            ["Worker__RabbitMq__DelayedRetry: Native is what quorum queues alone can do; set WaitQueues, or Worker__RabbitMq__QueueType=Quorum."],
            Mistakes([.. s_rabbit, "Worker__RabbitMq__DelayedRetry=Native", "Worker__RabbitMq__QueueType=Classic"]));

    [Fact]
    public void Nothing_is_ordered_by_sessions_that_are_not_there() =>
        Assert.Equal(["Worker__OrderBy: session is unknown to RabbitMQ, which has no sessions; set the property that holds the key."], Mistakes([.. s_rabbit, "Worker__OrderBy=session"]));

    [Fact]
    public void Certificates_are_of_use_with_TLS_only() =>
        Assert.Equal(
            [
                "Worker__RabbitMq__CaFile: ca.pem is of use with TLS only; set an amqps:// address in ConnectionStrings__RabbitMq, or leave it out.",
                "Worker__RabbitMq__ClientCertificateFile: client.pem is of use with TLS only; set an amqps:// address in ConnectionStrings__RabbitMq, or leave it out.",
            ],
            Mistakes([.. s_rabbit, "ConnectionStrings__RabbitMq=amqp://one", "Worker__RabbitMq__CaFile=ca.pem", "Worker__RabbitMq__ClientCertificateFile=client.pem"]));

    [Fact]
    public void The_usual_margin_follows_a_short_heartbeat_by_itself() => Read([.. s_rabbit, "Worker__RabbitMq__Heartbeat=1s"]);

    [Fact]
    public void Another_broker_s_settings_need_not_be_right() => Read("Worker__Broker=InMemory", "Worker__RabbitMq__Heartbeat=0s", "ConnectionStrings__RabbitMq=no address");
}
