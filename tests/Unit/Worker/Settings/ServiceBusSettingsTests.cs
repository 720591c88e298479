using Azure.Identity;
using Holdfast.Broker.ServiceBus;
using Holdfast.Worker.Settings;
using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class ServiceBusSettingsTests
{
    private const string Connection = "Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=worker;SharedAccessKey=secret";

    private static readonly string[] s_serviceBus = ["Worker__Broker=ServiceBus", "Worker__Handler=Demo", $"ConnectionStrings__ServiceBus={Connection}"];
    private static readonly string[] s_identity = ["Worker__Broker=ServiceBus", "Worker__Handler=Demo", "ServiceBus__FullyQualifiedNamespace=shop.servicebus.windows.net"];

    [Fact]
    public void All_that_is_set_reaches_the_broker()
    {
        var settings = Read([
            .. s_serviceBus, "Worker__ServiceBus__Transport=websockets", "Worker__ServiceBus__Sessions=true", "Worker__ServiceBus__SessionId=north",
            "Worker__ServiceBus__MaxSessions=3", "Worker__ServiceBus__SessionIdleTime=2s", "Worker__ServiceBus__OperationTimeout=7s"]);

        var options = settings.ServiceBus(TimeProvider.System);

        Assert.Equal((Connection, null, null), (options.ConnectionString, options.FullyQualifiedNamespace, options.Credential));
        Assert.Equal((ServiceBusTransport.WebSockets, true, "north", 3), (options.Transport, options.Sessions, options.SessionId, options.MaxSessions));
        Assert.Equal((TimeSpan.FromSeconds(2), TimeSpan.FromSeconds(7)), (options.SessionIdleTime, options.OperationTimeout));
        Assert.Same(TimeProvider.System, options.TimeProvider);
    }

    [Fact]
    public void Without_a_connection_string_an_identity_says_who_we_are()
    {
        var options = Read(s_identity).ServiceBus(TimeProvider.System);

        Assert.Equal((null, "shop.servicebus.windows.net"), (options.ConnectionString, options.FullyQualifiedNamespace));
        Assert.IsType<DefaultAzureCredential>(options.Credential);
    }

    [Fact]
    public void What_is_not_set_is_as_the_broker_has_it()
    {
        var (own, broker) = (new ServiceBusOptions().With(null, null, null, findsSessionsOut: true, TimeProvider.System), new ServiceBusBrokerOptions());

        Assert.All(typeof(ServiceBusBrokerOptions).GetProperties(), p => Assert.Equal(p.GetValue(broker), p.GetValue(own)));
    }

    [Theory]
    [InlineData(null, null, false)]
    [InlineData(null, "north", true)]
    [InlineData(true, null, true)]
    [InlineData(false, null, false)]
    public void A_client_that_does_not_find_out_whether_sessions_are_required_is_told(bool? set, string? sessionId, bool told) =>
        Assert.Equal(told, new ServiceBusOptions { Sessions = set, SessionId = sessionId }.With(Connection, null, null, findsSessionsOut: false, TimeProvider.System).Sessions);

    [Fact]
    public void Each_option_of_the_broker_s_is_a_setting() =>
        Assert.Equal(
            typeof(ServiceBusBrokerOptions).GetProperties().Select(p => p.Name).Except(["ConnectionString", "FullyQualifiedNamespace", "Credential", "TimeProvider"]).Order(),
            SettingsSection.Names(new ServiceBusOptions()).Order());

    [Fact]
    public void The_authorities_to_trust_reach_the_broker() =>
        Assert.Equal("ca.pem", new ServiceBusOptions { CaFile = "ca.pem" }.With(Connection, null, null, findsSessionsOut: true, TimeProvider.System).CaFile);

    [Fact]
    public void A_file_of_authorities_that_holds_none_is_told_at_the_start() =>
        Assert.Equal(
            ["Worker__ServiceBus__CaFile: /dev/null holds no certificate; set a file with the authorities to trust (PEM)."],
            Mistakes([.. s_serviceBus, "Worker__ServiceBus__CaFile=/dev/null"]));

    [Fact]
    public void Whoever_reads_the_terminal_sees_where_the_broker_is_but_no_key()
    {
        Assert.Equal("ServiceBus at shop.servicebus.windows.net", Read(s_serviceBus).Broker);
        Assert.Equal("ServiceBus at shop.servicebus.windows.net", Read(s_identity).Broker);
    }

    [Theory]
    [InlineData("ConnectionStrings__ServiceBus=", "ConnectionStrings__ServiceBus: It is not set; set the namespace's connection string, or ServiceBus__FullyQualifiedNamespace where an identity of Azure says who we are.")]
    [InlineData("ConnectionStrings__ServiceBus=Endpoint=sb://shop/;SharedAccessKeyName=worker", "ConnectionStrings__ServiceBus: It has a SharedAccessKeyName, but no SharedAccessKey.")]
    [InlineData("ServiceBus__FullyQualifiedNamespace=shop", "ServiceBus__FullyQualifiedNamespace: It is set beside ConnectionStrings__ServiceBus; leave one of them out.")]
    [InlineData("Worker__Queue=events/Subscriptions", "Worker__Queue: 'events/Subscriptions' names no queue of Service Bus. Set Worker__Queue to a queue's name, to topic/Subscriptions/name, or to either with /$DeadLetterQueue behind it.")]
    [InlineData("Worker__ServiceBus__Transport=Udp", "Worker__ServiceBus__Transport: 'Udp' can't be read; set Tcp or WebSockets.")]
    [InlineData("Worker__ServiceBus__MaxSessions=0", "Worker__ServiceBus__MaxSessions: 0 is out of range; set 1 to 1000.")]
    [InlineData("Worker__ServiceBus__SessionIdleTime=0s", "Worker__ServiceBus__SessionIdleTime: 0s is out of range; set 1s to 10m.")]
    [InlineData("Worker__ServiceBus__OperationTimeout=11m", "Worker__ServiceBus__OperationTimeout: 660s is out of range; set 1s to 10m.")]
    [InlineData("Worker__ServiceBus__CaFile=none.pem", "Worker__ServiceBus__CaFile: none.pem can't be read as certificates; set a file with the authorities to trust (PEM).")]
    public void What_can_not_be_is_told_in_a_line(string set, string line) => Assert.Equal([line], Mistakes([.. s_serviceBus, set]));

    [Fact]
    public void A_session_s_name_is_of_use_with_sessions_only()
    {
        Assert.Equal(
            ["Worker__ServiceBus__SessionId: north is of use with sessions only; set Worker__ServiceBus__Sessions=true, or leave one of them out."],
            Mistakes([.. s_serviceBus, "Worker__ServiceBus__SessionId=north", "Worker__ServiceBus__Sessions=false"]));
        Read([.. s_serviceBus, "Worker__ServiceBus__SessionId=north"]);
    }

    [Fact]
    public void A_namespace_is_a_host_and_nothing_more() =>
        Assert.Equal(
            ["ServiceBus__FullyQualifiedNamespace: It is no host's name; set one such as name.servicebus.windows.net, without sb:// and without a path."],
            Mistakes([.. s_identity, "ServiceBus__FullyQualifiedNamespace=sb://shop.servicebus.windows.net/"]));

    [Fact]
    public void Another_broker_s_settings_need_not_be_right() => Read("Worker__Broker=InMemory", "Worker__ServiceBus__MaxSessions=0", "ConnectionStrings__ServiceBus=no address");
}
