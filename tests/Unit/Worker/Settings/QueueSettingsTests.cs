using Holdfast.Consumer;
using Holdfast.Tests.Servers;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Configuration;
using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class QueueSettingsTests
{
    [Theory]
    [InlineData("Worker__Queue=parcels", "parcels")]
    [InlineData("Worker__Queues__letters__Handler=Demo", "letters")]
    public void What_the_cluster_s_base_sets_leaves_one_queue_or_several_to_the_user(string setting, string queue)
    {
        var based = File.ReadLines(SourceTree.Find("deploy/k8s/base/settings.env")).Where(line => line.StartsWith("Worker__", StringComparison.Ordinal));

        Assert.Equal([queue], Read([.. based, setting]).Queues.Select(it => it.Handling.Queue));
    }

    [Fact]
    public void What_is_not_set_for_a_queue_is_what_is_set_for_all_and_then_the_default()
    {
        var settings = Read(
            "Worker__MaxConcurrency=20", "Worker__Retry__Immediate=7", "Worker__Demo__Turns=3",
            "Worker__Queues__parcels__MaxConcurrency=5", "Worker__Queues__parcels__Demo__Turns=4",
            "Worker__Queues__letters__Queue=topic/Subscriptions/letters", "Worker__Queues__letters__Retry__Delay=1m");
        var (letters, parcels) = (settings.Queues[0], settings.Queues[1]);

        Assert.Equal(("topic/Subscriptions/letters", "parcels"), (letters.Handling.Queue, parcels.Handling.Queue));
        Assert.Equal((3, 4), (letters.Handling.Demo.Turns, parcels.Handling.Demo.Turns));
        foreach (var (queue, most, delay) in new[] { (letters, 20, TimeSpan.FromMinutes(1)), (parcels, 5, new RetryOptions().Delay) })
        {
            var applied = new QueueOptions();
            queue.Apply(applied);
            Assert.All([applied, queue.Options], options =>
                Assert.Equal((most, 7, delay), (options.MaxConcurrency, options.Retry.Immediate, options.Retry.Delay)));
        }
    }

    [Theory]
    [InlineData(null, 5_000_000)]
    [InlineData("7000000", 7_000_000)]
    public void As_many_bytes_are_in_flight_as_there_is_room_for_unless_somebody_says_how_many(string? set, long bytes)
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([KeyValuePair.Create("Worker:MaxBytesInFlight", set)]).Build();
        var queue = new QueueSettings(new(configuration.GetSection("Worker")), bytesInFlight: 5_000_000);
        var applied = new QueueOptions();

        Assert.Empty(queue.Read());
        queue.Apply(applied);

        Assert.Equal((bytes, bytes), (queue.Options.MaxBytesInFlight, applied.MaxBytesInFlight));
    }

    [Fact]
    public void Names_are_the_same_in_whatever_case_they_are_written()
    {
        var queue = Assert.Single(Read("Worker__Queues__parcels__MaxConcurrency=5", "WORKER__QUEUES__PARCELS__DEMO__TURNS=4").Queues);

        Assert.Equal((5, 4), (queue.Options.MaxConcurrency, queue.Handling.Demo.Turns));
    }

    [Theory]
    [InlineData("Worker__Queues__a__MaxConcurency=5", "Worker__Queues__a__MaxConcurency: There is no such setting; did you mean Worker__Queues__a__MaxConcurrency?")]
    [InlineData("Worker__Queues__a__Demo__Turns=x", "Worker__Queues__a__Demo__Turns: 'x' can't be read; set a whole number, at most 2147483647.")]
    [InlineData("Worker__Queues__a__Demo__Turns=0", "Worker__Queues__a__Demo__Turns: 0 is out of range; set 1 or more.")]
    [InlineData("Worker__Queues__a__MaxConcurrency=0", "Worker__Queues__a__MaxConcurrency: 0 is out of range; set 1 to 1000000.")]
    [InlineData("Worker__Queues__a__Lease__MinMargin=20s", "Worker__Queues__a__Lease__MinMargin: 20s is too long; set less than 15s, half of Worker__InMemory__LockDuration.")]
    [InlineData("Worker__Queues__a__Handler=Htp", "Worker__Queues__a__Handler: Htp is unknown; set")]
    [InlineData("Worker__Queues__a__Breaker__Pause=1m", "Worker__Queues__a__Breaker__Pause: It does nothing while Worker__Breaker__FailureRatio is not set; set that too, such as 0.5, or leave both out.")]
    [InlineData("Worker__RateLimit__Burst=5", "Worker__RateLimit__Burst: It does nothing while Worker__RateLimit__PerSecond is not set; set that too, such as 50, or leave both out.")]
    [InlineData("Worker__Queues__a__Threads=2", "Worker__Queues__a__Threads: There is no such setting")]
    [InlineData("Worker__Queues__a=orders", "Worker__Queues__a: It holds settings of its own; set one of those, such as Worker__Queues__a__Handler.")]
    [InlineData("Worker__Queues=orders", "Worker__Queues: It holds settings of its own; set one of those, such as Worker__Queues__orders__Handler.")]
    [InlineData("Worker__Queue=orders", "Worker__Queue: It is set beside queues that have names of their own; leave it out, and set such as Worker__Queues__a__Queue.")]
    [InlineData("Worker__Queues__a__Queue=b", "Worker__Queues__b__Queue: b is consumed under another name already; name each queue once.")]
    [InlineData("Worker__Demo__Turns=0", "Worker__Demo__Turns: 0 is out of range; set 1 or more.")]
    public void What_can_not_be_is_told_in_a_line_by_the_name_it_was_set_by(string set, string line) =>
        Assert.Contains(Mistakes("Worker__Queues__a__Demo__Produce=1", "Worker__Queues__b__Demo__Produce=1", set), mistake => mistake.StartsWith(line, StringComparison.Ordinal));

    [Theory]
    [InlineData("Worker__Queues__a__Breaker__FailureRatio=0.5")]
    [InlineData("Worker__Breaker__FailureRatio=0")]
    public void What_one_queue_switches_on_or_all_switch_off_may_be_set_for_all(string set) =>
        Assert.Equal(TimeSpan.FromMinutes(1), Read("Worker__Queues__a__Demo__Produce=1", "Worker__Queues__b__Demo__Produce=1", "Worker__Breaker__Pause=1m", set).Queues[1].Options.Breaker.Pause);

    [Fact]
    public void What_is_wrong_for_all_queues_is_told_once() =>
        Assert.Single(Mistakes("Worker__Queues__a__Demo__Produce=1", "Worker__Queues__b__Demo__Produce=1", "Worker__MaxConcurrency=0"));

    [Fact]
    public void A_delay_that_the_server_keeps_is_the_same_for_all_queues()
    {
        string[] server = ["Worker__Broker=RabbitMq", "Worker__Handler=Demo", "ConnectionStrings__RabbitMq=amqp://host/", "Worker__Queues__a__Retry__Delay=7s", "Worker__Queues__b__Retry__Immediate=1"];

        Assert.Equal(2, Read(server).Queues.Count);
        Assert.StartsWith("Worker__Retry__Delay: 5s is another than other queues have", Assert.Single(Mistakes([.. server, "Worker__RabbitMq__DelayedRetry=Native"])));
    }
}
