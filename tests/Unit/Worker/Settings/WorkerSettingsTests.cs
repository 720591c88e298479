using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class WorkerSettingsTests
{
    [Fact]
    public void Nothing_set_is_a_demo_on_the_embedded_broker()
    {
        var settings = Read();

        Assert.Equal(("InMemory", "orders", "Demo"), (settings.Worker.Broker, settings.Queues[0].Handling.Queue, settings.Queues[0].Handling.Handler));
        Assert.Equal(new HoldfastOptions().DrainTimeout, settings.Engine.DrainTimeout);
    }

    [Fact]
    public void All_that_is_set_reaches_its_place()
    {
        var settings = Read(
            "Worker__Broker=inmemory", "Worker__Queue=topic/Subscriptions/name", "Worker__MaxConcurrency=7", "Worker__Threads=3", "Worker__DrainTimeout=00:01:00",
            "Worker__Admission=fixed", "Worker__TurnOrder=roundrobin", "Worker__Lease__MinMargin=100ms", "Worker__Lease__RenewAfter=0.4", "Worker__Retry__Delay=2m",
            "Worker__Demo__Produce=0.5", "Worker__Demo__Blocking=True", "Worker__InMemory__LockDuration=5s");
        var (engine, queue) = (new HoldfastOptions(), new QueueOptions());
        settings.Apply(engine);
        settings.Queues[0].Apply(queue);
        var handling = settings.Queues[0].Handling;

        Assert.Equal("topic/Subscriptions/name", handling.Queue);
        Assert.Equal((3, TimeSpan.FromMinutes(1), TurnOrder.RoundRobin), (engine.Threads!.Value, engine.DrainTimeout, engine.TurnOrder));
        Assert.Equal((7, AdmissionMode.Fixed), (queue.MaxConcurrency, queue.Admission));
        Assert.Equal((TimeSpan.FromMilliseconds(100), 0.4), (queue.Lease.MinMargin, queue.Lease.RenewAfter));
        Assert.Equal(TimeSpan.FromMinutes(2), queue.Retry.Delay);
        Assert.Equal((0.5, true), (handling.Demo.Produce, handling.Demo.Blocking));
        Assert.Equal(TimeSpan.FromSeconds(5), settings.Worker.InMemory.LockDuration);
    }

    [Theory]
    [InlineData("Worker__Threads=two", "Worker__Threads: 'two' can't be read; set a whole number, at most 2147483647.")]
    [InlineData("Worker__Threads=2.5", "Worker__Threads: '2.5' can't be read; set a whole number, at most 2147483647.")]
    [InlineData("Worker__Threads=3000000000", "Worker__Threads: '3000000000' can't be read; set a whole number, at most 2147483647.")]
    [InlineData("Worker__MaxBytesInFlight=1GB", "Worker__MaxBytesInFlight: '1GB' can't be read; set a whole number.")]
    [InlineData("Worker__DrainTimeout=20", "Worker__DrainTimeout: '20' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=9999999999999h", "Worker__DrainTimeout: '9999999999999h' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=NaNs", "Worker__DrainTimeout: 'NaNs' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=-Infinitym", "Worker__DrainTimeout: '-Infinitym' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=99999999999d", "Worker__DrainTimeout: '99999999999d' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=24:00:00", "Worker__DrainTimeout: '24:00:00' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=1:00:00:00", "Worker__DrainTimeout: '1:00:00:00' can't be read; set a duration, such as 500ms, 20s, 5m, 24h or 00:00:20.")]
    [InlineData("Worker__DrainTimeout=1.00:00:01", "Worker__DrainTimeout: 1.00:00:01 is out of range; set 00:00:00 to 1.00:00:00.")]
    [InlineData("Worker__Lease__RenewAfter=half", "Worker__Lease__RenewAfter: 'half' can't be read; set a number, such as 0.5.")]
    [InlineData("Worker__Lease__RenewAfter=NaN", "Worker__Lease__RenewAfter: 'NaN' can't be read; set a number, such as 0.5.")]
    [InlineData("Worker__Admission=Greedy", "Worker__Admission: 'Greedy' can't be read; set Adaptive or Fixed.")]
    [InlineData("Worker__TurnOrder=LIFO", "Worker__TurnOrder: 'LIFO' can't be read; set StartedFirst or RoundRobin.")]
    [InlineData("Worker__Admission=1", "Worker__Admission: '1' can't be read; set Adaptive or Fixed.")]
    [InlineData("Worker__Demo__Blocking=yes", "Worker__Demo__Blocking: 'yes' can't be read; set true or false.")]
    [InlineData("Worker__Broker=Kafka", "Worker__Broker: Kafka is unknown; set InMemory, RabbitMq or ServiceBus.")]
    [InlineData("Worker=foo", "Worker: It holds settings of its own; set one of those, such as Worker__Queue.")]
    [InlineData("Logging__LogLevel__Default=Foo", "Logging__LogLevel__Default: 'Foo' is unknown; set Trace, Debug, Information, Warning, Error, Critical or None.")]
    [InlineData("Logging__Console__LogLevel__Holdfast=Loud", "Logging__Console__LogLevel__Holdfast: 'Loud' is unknown; set Trace, Debug, Information, Warning, Error, Critical or None.")]
    [InlineData("Logging__LogLevel__Default=42", "Logging__LogLevel__Default: '42' is unknown; set Trace, Debug, Information, Warning, Error, Critical or None.")]
    [InlineData("Logging__LogLvl__Default=Debug", "Logging__LogLvl: There is no such setting; did you mean Logging__LogLevel__Default?")]
    [InlineData("Logging__LogLevel_Default=Debug", "Logging__LogLevel_Default: There is no such setting; did you mean Logging__LogLevel__Default?")]
    [InlineData("Logging__LogLevel=Debug", "Logging__LogLevel: There is no such setting; did you mean Logging__LogLevel__Default?")]
    [InlineData("Logging__Console__MaxQueueLength=0", "Logging__Console__MaxQueueLength: '0' is no number of lines; set 1 or more.")]
    [InlineData("Logging__Console__MaxQueueLength=many", "Logging__Console__MaxQueueLength: 'many' is no number of lines; set 1 or more.")]
    [InlineData("Logging__Console__QueueFullMode=Drop", "Logging__Console__QueueFullMode: 'Drop' is unknown; set Wait or DropWrite.")]
    [InlineData("urls=garbage", "ASPNETCORE_URLS: 'garbage' is no address that the management port can have; set one such as http://+:8080, without TLS.")]
    [InlineData("urls=http://+:99999", "ASPNETCORE_URLS: 'http://+:99999' is no address that the management port can have; set one such as http://+:8080, without TLS.")]
    [InlineData("urls=http://+:1;https://+:2", "ASPNETCORE_URLS: 'https://+:2' is no address that the management port can have; set one such as http://+:8080, without TLS.")]
    [InlineData("urls=http://localhost:8080/base", "ASPNETCORE_URLS: 'http://localhost:8080/base' has a path, and the management port has none; leave /base out.")]
    [InlineData("urls= http://+:8080", "ASPNETCORE_URLS: ' http://+:8080' has a blank before or after it, which would be a part of the address; leave it out.")]
    [InlineData("urls=http://+:1; http://+:2", "ASPNETCORE_URLS: ' http://+:2' has a blank before or after it, which would be a part of the address; leave it out.")]
    [InlineData("urls= ", "ASPNETCORE_URLS: ' ' has a blank before or after it, which would be a part of the address; leave it out.")]
    [InlineData("urls=;", "ASPNETCORE_URLS: ';' names nothing between its separators; set one such as http://+:8080, or leave it out.")]
    [InlineData("http_ports=; ", "ASPNETCORE_HTTP_PORTS: '; ' names nothing between its separators; set one such as 8080, or leave it out.")]
    [InlineData("urls=http://inner.example:8080", "ASPNETCORE_URLS: 'http://inner.example:8080' names a host, for which the server would listen on all addresses, without a login; set the IP address that is meant, localhost, or http://+:8080 for all.")]
    [InlineData("urls=http://unix:/no/such/folder/worker.sock", "ASPNETCORE_URLS: 'http://unix:/no/such/folder/worker.sock' names a socket in /no/such/folder, which is not there; make that folder, or name one that is.")]
    [InlineData("https_ports=8443", "ASPNETCORE_HTTPS_PORTS: The management port speaks no TLS; leave it out, and set ASPNETCORE_HTTP_PORTS.")]
    [InlineData("Kestrel__Endpoints__Http__Url=http://127.0.0.1:8080", "Kestrel__Endpoints: The management port heeds none of these; leave them out, and set ASPNETCORE_URLS, such as http://127.0.0.1:8080.")]
    [InlineData("Worker__Handler=Soap", "Worker__Handler: Soap is unknown; set Demo, Http or Exec.")]
    [InlineData("Worker__Demo__Turns=0", "Worker__Demo__Turns: 0 is out of range; set 1 or more.")]
    [InlineData("Worker__Demo__CpuMilliseconds=-1", "Worker__Demo__CpuMilliseconds: -1 is out of range; set 0 or more.")]
    [InlineData("Worker__Demo__IoMilliseconds=-1", "Worker__Demo__IoMilliseconds: -1 is out of range; set 0 or more.")]
    [InlineData("Worker__Demo__Produce=-1", "Worker__Demo__Produce: -1 is out of range; set 0, or 0.001 to 100000 messages a second.")]
    [InlineData("Worker__InMemory__LockDuration=0s", "Worker__InMemory__LockDuration: 0s is too short; set 1s or more.")]
    [InlineData("Worker__InMemory__MaxDeliveries=0", "Worker__InMemory__MaxDeliveries: 0 is out of range; set 1 or more.")]
    [InlineData("Worker__Lease__MaxMargin=15s", "Worker__Lease__MaxMargin: 15s is too long; set less than 15s, half of Worker__InMemory__LockDuration.")]
    [InlineData("Worker__MaxConcurency=5", "Worker__MaxConcurency: There is no such setting; did you mean Worker__MaxConcurrency?")]
    [InlineData("Worker__Lease__MaxMargins=5", "Worker__Lease__MaxMargins: There is no such setting; did you mean Worker__Lease__MaxMargin?")]
    [InlineData("Worker__Leese__MaxMargin=5", "Worker__Leese__MaxMargin: There is no such setting; did you mean Worker__Lease__MaxMargin?")]
    [InlineData("Worker__Colour=red", "Worker__Colour: There is no such setting; --help lists all there are.")]
    [InlineData("Worker__Lease=5", "Worker__Lease: It holds settings of its own; set one of those, such as Worker__Lease__MinMargin.")]
    [InlineData("Worker__Queue=", "Worker__Queue: It is empty; set it, or leave it out.")]
    [InlineData("Worker__Queues__a__Queue= ", "Worker__Queues__a__Queue: It is empty; set it, or leave it out.")]
    [InlineData("Worker__Queue__Name=orders", "Worker__Queue__Name: There is no such setting; set Worker__Queue itself.")]
    [InlineData("http_ports=80a", "ASPNETCORE_HTTP_PORTS: '80a' is not a port; set a number, such as 8080.")]
    [InlineData("http_ports=99999", "ASPNETCORE_HTTP_PORTS: '99999' is not a port; set a number, such as 8080.")]
    public void What_can_not_be_is_told_in_a_line(string set, string line) => Assert.Equal([line], Mistakes(set));

    [Theory]
    [InlineData()]
    [InlineData("Worker__Broker=RabbitMq", "Worker__Handler=Demo", "ConnectionStrings__RabbitMq=amqp://rabbit")]
    [InlineData("Worker__Broker=ServiceBus", "Worker__Handler=Demo", "ServiceBus__FullyQualifiedNamespace=shop.servicebus.windows.net")]
    [InlineData("Worker__Handler=Http", "Worker__Http__Url=http://localhost/")]
    [InlineData("Worker__Handler=Exec", "Worker__Exec__Command=sh")]
    public void However_far_a_value_is_out_it_is_taken_or_told(params string[] others)
    {
        string[] extremes = ["NaN", "Infinity", "-Infinity", "NaNs", "Infinityd", "99999999999d", "10675199d", "-10675199d", new('9', 400), $"{new string('9', 400)}s"];
        foreach (var setting in from name in WorkerSettings.Names from value in extremes select $"Worker__{name}={value}")
        {
            var problem = Record.Exception(() => Read([.. others, setting]));
            Assert.True(problem is null or InvalidOptionsException, $"{setting}: {problem}");
        }
    }

    [Theory]
    [InlineData()]
    [InlineData("Worker__Broker=RabbitMq", "Worker__Handler=Demo", "ConnectionStrings__RabbitMq=amqp://rabbit")]
    [InlineData("Worker__Broker=ServiceBus", "Worker__Handler=Demo", "ServiceBus__FullyQualifiedNamespace=shop.servicebus.windows.net")]
    [InlineData("Worker__Breaker__FailureRatio=0.5", "Worker__RateLimit__PerSecond=50")]
    public void What_alone_is_wrong_is_told_by_its_own_name_and_by_no_other(params string[] others)
    {
        string[] values = ["-1", "0", "1", "15", "1000", "1000000", "1ms", "100ms", "1s", "8s", "14s", "20s", "1m", "11m", "1h", "2d", "40d"];
        foreach (var (name, value) in from name in WorkerSettings.Names.Except(["Broker", "Handler", "Queue"]) from value in values select (name, value))
        {
            var mistakes = (Record.Exception(() => Read([.. others, $"Worker__{name}={value}"])) as InvalidOptionsException)?.Errors ?? [];
            Assert.All(mistakes, mistake => Assert.EndsWith(name, mistake.Setting));
        }
    }

    [Fact]
    public void A_margin_leaves_more_than_half_of_the_lock() =>
        Assert.Equal(
            ["Worker__Lease__MinMargin: 2s is too long; set less than 2s, half of Worker__InMemory__LockDuration."],
            Mistakes("Worker__InMemory__LockDuration=4s", "Worker__Lease__MinMargin=2s"));

    [Fact]
    public void All_mistakes_are_told_at_once() =>
        Assert.Equal(4, Mistakes("Worker__Threads=two", "Worker__Broker=Kafka", "Worker__Colour=red", "Worker__Niceness=20").Length);

    [Theory]
    [InlineData("Logging__Seq__ServerUrl=http://localhost:5341")]
    [InlineData("Logging__EventLog__LogLevel__Default=Warning")]
    [InlineData("Logging__LogLevel__Default= debug ")]
    public void Who_else_logs_has_settings_of_his_own(string set) => Read(set);

    [Theory]
    [InlineData("http://+:8080")]
    [InlineData("http://*:8080/")]
    [InlineData("http://LocalHost:8080")]
    [InlineData("http://127.0.0.1:8080;http://[::1]:8080")]
    [InlineData("http://unix:/run/holdfast.sock")]
    [InlineData("")]
    public void The_management_port_may_have_addresses_of_its_own(string urls) => Read($"urls={urls}");

    [Theory]
    [InlineData("24h")]
    [InlineData("1d")]
    [InlineData("1.00:00:00")]
    [InlineData("1440m")]
    public void A_day_may_be_written_in_many_ways(string day) => Assert.Equal(TimeSpan.FromDays(1), Read($"Worker__DrainTimeout={day}").Engine.DrainTimeout);

    [Fact]
    public void An_empty_value_counts_as_not_set() =>
        Assert.Null(Read("Worker__Threads=", "Worker__OrderBy= ").Engine.Threads);

    [Fact]
    public void The_usual_margin_follows_a_short_lock_by_itself() => Read("Worker__InMemory__LockDuration=2s");

    [Fact]
    public void Help_names_every_setting_with_its_default_beside_it()
    {
        foreach (var name in WorkerSettings.Names)
            Assert.Contains($"Worker__{name} ", Help.Text);
    }
}
