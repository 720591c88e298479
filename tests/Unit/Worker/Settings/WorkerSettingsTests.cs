using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Configuration;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class WorkerSettingsTests
{
    [Fact]
    public void Nothing_set_is_a_demo_on_the_embedded_broker()
    {
        var settings = Read();

        Assert.Equal(("InMemory", "orders", "Demo"), (settings.Worker.Broker, settings.Worker.Queue, settings.Worker.Handler));
        Assert.Equal(new HoldfastOptions().DrainTimeout, settings.Engine.DrainTimeout);
    }

    [Fact]
    public void All_that_is_set_reaches_its_place()
    {
        var settings = Read(
            "Worker__Broker=inmemory", "Worker__Queue=topic/Subscriptions/name", "Worker__MaxConcurrency=7", "Worker__Threads=3", "Worker__DrainTimeout=00:01:00",
            "Worker__Admission=fixed", "Worker__Lease__MinMargin=100ms", "Worker__Lease__RenewAfter=0.4", "Worker__Retry__Delay=2m",
            "Worker__Demo__Produce=0.5", "Worker__Demo__Blocking=True", "Worker__InMemory__LockDuration=5s");
        var (engine, queue) = (new HoldfastOptions(), new QueueOptions());
        settings.Apply(engine);
        settings.Apply(queue);

        Assert.Equal("topic/Subscriptions/name", settings.Worker.Queue);
        Assert.Equal((3, TimeSpan.FromMinutes(1)), (engine.Threads!.Value, engine.DrainTimeout));
        Assert.Equal((7, AdmissionMode.Fixed), (queue.MaxConcurrency, queue.Admission));
        Assert.Equal((TimeSpan.FromMilliseconds(100), 0.4), (queue.Lease.MinMargin, queue.Lease.RenewAfter));
        Assert.Equal(TimeSpan.FromMinutes(2), queue.Retry.Delay);
        Assert.Equal((0.5, true), (settings.Worker.Demo.Produce, settings.Worker.Demo.Blocking));
        Assert.Equal(TimeSpan.FromSeconds(5), settings.Worker.InMemory.LockDuration);
    }

    [Theory]
    [InlineData("Worker__Threads=two", "Worker__Threads is 'two', but must be a whole number, at most 2147483647")]
    [InlineData("Worker__Threads=2.5", "Worker__Threads is '2.5', but must be a whole number, at most 2147483647")]
    [InlineData("Worker__Threads=3000000000", "Worker__Threads is '3000000000', but must be a whole number, at most 2147483647")]
    [InlineData("Worker__MaxBytesInFlight=1GB", "Worker__MaxBytesInFlight is '1GB', but must be a whole number")]
    [InlineData("Worker__DrainTimeout=20", "Worker__DrainTimeout is '20', but must be a duration, such as 500ms, 20s, 5m or 00:00:20")]
    [InlineData("Worker__DrainTimeout=9999999999999h", "Worker__DrainTimeout is '9999999999999h', but must be a duration, such as 500ms, 20s, 5m or 00:00:20")]
    [InlineData("Worker__DrainTimeout=-1s", "Worker__DrainTimeout is '-1s', but must be from 0s to 1d")]
    [InlineData("Worker__Lease__RenewAfter=half", "Worker__Lease__RenewAfter is 'half', but must be a number, such as 0.5")]
    [InlineData("Worker__Admission=Greedy", "Worker__Admission is 'Greedy', but must be Adaptive or Fixed")]
    [InlineData("Worker__Admission=1", "Worker__Admission is '1', but must be Adaptive or Fixed")]
    [InlineData("Worker__Demo__Blocking=yes", "Worker__Demo__Blocking is 'yes', but must be true or false")]
    [InlineData("Worker__Broker=Kafka", "Worker__Broker is 'Kafka', but must be InMemory")]
    [InlineData("Worker__Handler=Http", "Worker__Handler is 'Http', but must be Demo")]
    [InlineData("Worker__Demo__Turns=0", "Worker__Demo__Turns is '0', but must be at least 1")]
    [InlineData("Worker__Demo__CpuMilliseconds=-1", "Worker__Demo__CpuMilliseconds is '-1', but must be 0 or more")]
    [InlineData("Worker__Demo__IoMilliseconds=-1", "Worker__Demo__IoMilliseconds is '-1', but must be 0 or more")]
    [InlineData("Worker__Demo__Produce=-1", "Worker__Demo__Produce is '-1', but must be 0, or from 0.001 to 100000 messages a second")]
    [InlineData("Worker__InMemory__LockDuration=0s", "Worker__InMemory__LockDuration is '0s', but must be at least 1s")]
    [InlineData("Worker__InMemory__MaxDeliveries=0", "Worker__InMemory__MaxDeliveries is '0', but must be at least 1")]
    [InlineData("Worker__Lease__MaxMargin=15s", "Worker__Lease__MaxMargin is '15s', but must be less than 15s, half of Worker__InMemory__LockDuration")]
    [InlineData("Worker__Lease__MinMargin=1m", "Worker__Lease__MinMargin is '60s', but must be less than 15s, half of Worker__InMemory__LockDuration")]
    [InlineData("Worker__MaxConcurency=5", "Worker__MaxConcurency is no setting; did you mean Worker__MaxConcurrency?")]
    [InlineData("Worker__Lease__MaxMargins=5", "Worker__Lease__MaxMargins is no setting; did you mean Worker__Lease__MaxMargin?")]
    [InlineData("Worker__Leese__MaxMargin=5", "Worker__Leese__MaxMargin is no setting; did you mean Worker__Lease__MaxMargin?")]
    [InlineData("Worker__Colour=red", "Worker__Colour is no setting; --help lists those that are")]
    [InlineData("Worker__Lease=5", "Worker__Lease holds settings of its own, such as Worker__Lease__MinMargin")]
    [InlineData("Worker__Queue__Name=orders", "Worker__Queue__Name is no setting; Worker__Queue is one, and holds no others")]
    [InlineData("http_ports=80a", "ASPNETCORE_HTTP_PORTS is '80a', but must be a port number, such as 8080")]
    [InlineData("http_ports=99999", "ASPNETCORE_HTTP_PORTS is '99999', but must be a port number, such as 8080")]
    public void What_can_not_be_is_told_in_a_line(string set, string line) => Assert.Equal([line], Mistakes(set));

    [Fact]
    public void All_mistakes_are_told_at_once() =>
        Assert.Equal(3, Mistakes("Worker__Threads=two", "Worker__Broker=Kafka", "Worker__Colour=red").Length);

    [Fact]
    public void An_empty_value_counts_as_not_set() =>
        Assert.Null(Read("Worker__Threads=", "Worker__Queue= ").Engine.Threads);

    [Fact]
    public void The_usual_margin_follows_a_short_lock_by_itself() => Read("Worker__InMemory__LockDuration=2s");

    [Fact]
    public void Help_names_every_setting_with_its_default_beside_it()
    {
        foreach (var name in SettingsSection.Names(new WorkerOptions(), new HoldfastOptions(), new QueueOptions()))
            Assert.Contains($"Worker__{name} ", Help.Text);
    }

    private static WorkerSettings Read(params string[] set) =>
        WorkerSettings.Read(new ConfigurationBuilder()
            .AddInMemoryCollection(set.Select(s => s.Split('=', 2)).Select(s => new KeyValuePair<string, string?>(s[0].Replace("__", ":"), s[1])))
            .Build());

    private static string[] Mistakes(params string[] set)
    {
        using var error = new StringWriter();
        var code = Run.Explain(Assert.Throws<InvalidOptionsException>(() => Read(set)), error);
        Assert.Equal(ExitCode.Misconfigured, code);
        return error.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
