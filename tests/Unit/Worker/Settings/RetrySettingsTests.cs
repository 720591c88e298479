using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class RetrySettingsTests
{
    private const string Rabbit = "Worker__Broker=RabbitMq Worker__Handler=Demo ConnectionStrings__RabbitMq=amqp://one";
    private const string Post = Rabbit + " Worker__Handler=Http Worker__Http__Url=http://one";
    private const string Run = Rabbit + " Worker__Handler=Exec Worker__Exec__Command=/bin/true";

    [Theory]
    [InlineData(
        Rabbit + " Worker__Retry__AttemptTimeout=15m",
        "Worker__Retry__AttemptTimeout: 3 attempts of 900s and 0.375s of waits between them are 2700.375s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 599s.")]
    [InlineData(
        Rabbit + " Worker__Retry__AttemptTimeout=30m Worker__Retry__Immediate=0",
        "Worker__Retry__AttemptTimeout: 1 attempts of 1800s and 0s of waits between them are 1800s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 1799s.")]
    [InlineData(
        Post + " Worker__Http__Timeout=15m",
        "Worker__Http__Timeout: 3 attempts of 900s and 0.375s of waits between them are 2700.375s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 599s.")]
    [InlineData(
        Post + " Worker__Queues__slow__Http__Timeout=1h Worker__Retry__Immediate=0",
        "Worker__Queues__slow__Http__Timeout: 1 attempts of 3600s and 0s of waits between them are 3600s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 1799s.")]
    [InlineData(
        Run + " Worker__Exec__Timeout=30m",
        "Worker__Exec__Timeout: 3 attempts of 1800s and 0.375s of waits between them are 5400.375s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 599s.")]
    [InlineData(
        Post + " Worker__Http__Timeout=15m Worker__Retry__AttemptTimeout=20m",
        "Worker__Retry__AttemptTimeout: 3 attempts of 1200s and 0.375s of waits between them are 3600.375s, no less than Worker__RabbitMq__ConsumerTimeout (1800s); set at most 599s.")]
    [InlineData(
        Post + " Worker__Http__Timeout=10000000.00:00:00",
        "Worker__Http__Timeout: 864000000000s is out of range; set more than 0s, and at most 24h.")]
    [InlineData(
        Rabbit + " Worker__Retry__Immediate=9",
        "Worker__Retry__Immediate: Before retry 9 the wait may be 32s (0.1s doubled 8 times, and a quarter for jitter), as long as a lease lasts (20s, twice Worker__RabbitMq__Heartbeat) or longer; set at most 8, and leave longer waits to Worker__Retry__Delay.")]
    [InlineData(
        "Worker__Retry__Immediate=10",
        "Worker__Retry__Immediate: Before retry 9 the wait may be 32s (0.1s doubled 8 times, and a quarter for jitter), as long as a lease lasts (30s, Worker__InMemory__LockDuration) or longer; set at most 8, and leave longer waits to Worker__Retry__Delay.")]
    [InlineData(
        "Worker__Retry__ImmediateDelay=1m",
        "Worker__Retry__ImmediateDelay: Before retry 1 the wait may be 75s (60s doubled 0 times, and a quarter for jitter), as long as a lease lasts (30s, Worker__InMemory__LockDuration) or longer; set a shorter one, or Worker__Retry__Immediate to at most 0, and leave longer waits to Worker__Retry__Delay.")]
    [InlineData(
        "Worker__Retry__Delay=1h",
        "Worker__Retry__Delay: 01:00:00 is more than MaxDelay, which is 00:10:00 by default; set at most that, or raise MaxDelay too.")]
    [InlineData(
        "Worker__Retry__MaxDelay=1s",
        "Worker__Retry__MaxDelay: 00:00:01 is less than Delay, which is 00:00:05 by default; set at least that, or lower Delay too.")]
    [InlineData(
        "Worker__Retry__Delay=1h Worker__Retry__MaxDelay=30m",
        "Worker__Retry__MaxDelay: 00:30:00 is less than Delay (01:00:00); set at least that.")]
    [InlineData(
        "Worker__Retry__MaxDeliveries=11",
        "Worker__Retry__MaxDeliveries: 11 is more than the broker makes before it puts a message aside by itself; set at most 10, which is Worker__InMemory__MaxDeliveries, or raise that.")]
    [InlineData(
        "Worker__InMemory__MaxDeliveries=3",
        "Worker__InMemory__MaxDeliveries: 3 is fewer than a message is to have before its failures put it aside, 10 by default; set at least that, or Worker__Retry__MaxDeliveries=3 too.")]
    [InlineData(
        "Worker__Retry__AttemptTimeout=0s",
        "Worker__Retry__AttemptTimeout: 00:00:00 is out of range; set 00:00:00.010 to 1.00:00:00, or leave it out.")]
    [InlineData(
        "Worker__RateLimit__PerSecond=1000 Worker__RateLimit__Burst=5",
        "Worker__RateLimit__Burst: 5 would not let 1000 messages a second begin, as room is made 10 times a second; set at least 100, or leave it out.")]
    [InlineData(
        "Worker__Queues__slow__Retry__MaxDeliveries=11",
        "Worker__Queues__slow__Retry__MaxDeliveries: 11 is more than the broker makes before it puts a message aside by itself; set at most 10, which is Worker__InMemory__MaxDeliveries, or raise that.")]
    public void A_policy_that_outlives_what_it_must_not_is_refused_with_the_arithmetic(string set, string line) =>
        Assert.Equal([line], Mistakes(set.Split(' ')));

    [Theory]
    [InlineData(Rabbit + " Worker__Retry__AttemptTimeout=599s")]
    [InlineData(Rabbit + " Worker__Retry__AttemptTimeout=15m Worker__RabbitMq__ConsumerTimeout=1h")]
    [InlineData(Post + " Worker__Http__Timeout=599s")]
    [InlineData(Post + " Worker__RabbitMq__ConsumerTimeout=1m")]
    [InlineData(Post + " Worker__Http__Timeout=1h Worker__Retry__AttemptTimeout=1m")]
    [InlineData(Run)]
    [InlineData(Rabbit + " Worker__Http__Timeout=1h Worker__Exec__Timeout=1h")]
    [InlineData("Worker__Handler=Http Worker__Http__Url=http://one Worker__Http__Timeout=24h")]
    [InlineData(Rabbit + " Worker__Retry__MaxDeliveries=1000")]
    [InlineData("Worker__Retry__AttemptTimeout=24h")]
    [InlineData("Worker__Retry__MaxDeliveries=11 Worker__InMemory__MaxDeliveries=11")]
    [InlineData("Worker__Retry__Immediate=20 Worker__Retry__ImmediateDelay=0s")]
    public void A_policy_that_fits_is_taken(string set) => Read(set.Split(' '));

    [Fact]
    public void A_queue_has_a_breaker_a_rate_and_a_time_for_each_attempt()
    {
        var options = Read(
            "Worker__Retry__AttemptTimeout=20s", "Worker__Breaker__FailureRatio=0.5", "Worker__Breaker__Pause=1m", "Worker__RateLimit__PerSecond=0.5", "Worker__RateLimit__Burst=2").Queues[0].Options;

        Assert.Equal((TimeSpan.FromSeconds(20), 0.5, TimeSpan.FromMinutes(1)), (options.Retry.AttemptTimeout, options.Breaker.FailureRatio, options.Breaker.Pause));
        Assert.Equal((0.5, 2), (options.RateLimit.PerSecond, options.RateLimit.Burst));
    }
}
