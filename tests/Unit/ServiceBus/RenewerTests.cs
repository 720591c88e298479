using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class RenewerTests
{
    private static readonly TimeSpan s_lock = TimeSpan.FromSeconds(30);

    private readonly VirtualTime _time = new();
    private readonly List<int> _requests = [];
    private readonly HashSet<Guid> _lost = [];
    private Func<Guid[], Exception?> _fails = _ => null;
    private TimeSpan _lock = s_lock;
    private TimeSpan _answersAfter;
    private int _refused;

    [Fact]
    public async Task What_is_held_is_renewed_by_one_request()
    {
        Assert.All(await RenewAsync(Deliveries(512)), outcome => Assert.Equal(Renewal.Renewed, outcome));
        Assert.Equal([512], _requests);
    }

    [Fact]
    public async Task Each_partition_is_asked_by_itself_for_the_broker_takes_no_others_together()
    {
        var due = Deliveries(12, n => (long)(n % 3) << 48 | (uint)n);
        _fails = tokens => due.Where(delivery => tokens.Contains(delivery.LockToken)).Select(delivery => Partition.Of(delivery.SequenceNumber)).Distinct().Count() > 1
            ? new BrokerException("of different partitions", isTransient: true)
            : null;
        _lost.Add(due[1].LockToken);

        var outcomes = await RenewAsync(due);

        Assert.Equal(Enumerable.Range(0, 12).Select(n => n == 1 ? Renewal.Lost : Renewal.Renewed), outcomes);
        Assert.Equal([4, 4, 4], _requests.Where(count => count == 4));
    }

    [Fact]
    public async Task A_failure_of_one_partition_leaves_the_others_as_they_are()
    {
        var due = Deliveries(4, n => n % 2 == 0 ? n : long.MinValue | (uint)n);
        _fails = tokens => tokens.Contains(due[1].LockToken) ? new BrokerException("busy", isTransient: true) : null;

        Assert.Equal([Renewal.Renewed, Renewal.Unknown, Renewal.Renewed, Renewal.Unknown], await RenewAsync(due));
    }

    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(7)]
    [InlineData(512)]
    public async Task A_lost_lock_is_found_among_its_neighbours_wherever_it_is(int count)
    {
        for (var lost = 0; lost < count; lost += Math.Max(1, count / 7))
        {
            var due = Deliveries(count);
            _lost.Add(due[lost].LockToken);
            _requests.Clear();
            _refused = 0;

            var outcomes = await RenewAsync(due);

            Assert.Equal(Enumerable.Range(0, count).Select(n => n == lost ? Renewal.Lost : Renewal.Renewed), outcomes);
            Assert.InRange(_requests.Count, 1, 1 + (2 * (int)Math.Ceiling(Math.Log2(count))));

            // Each of these waits for the one before it, while the neighbours' locks run on.
            Assert.InRange(_refused, 1, 1 + (int)Math.Ceiling(Math.Log(count, 4)));
        }
    }

    [Fact]
    public async Task What_is_settled_already_is_not_asked_for()
    {
        var due = Deliveries(3);
        due[1].TryBegin();
        due[1].End();

        Assert.Equal([Renewal.Renewed, Renewal.Lost, Renewal.Renewed], await RenewAsync(due));
        Assert.Equal([2], _requests);
    }

    [Fact]
    public async Task A_failure_that_leaves_everything_unknown_is_thrown()
    {
        _fails = _ => new BrokerException("busy", isTransient: true);

        await Assert.ThrowsAsync<BrokerException>(() => RenewAsync(Deliveries(4)));
    }

    [Fact]
    public async Task A_failure_of_a_part_leaves_only_that_part_unknown()
    {
        var due = Deliveries(8);
        _lost.Add(due[0].LockToken);
        _fails = tokens => tokens.Contains(due[7].LockToken) && tokens.Length < 8 ? new BrokerException("busy", isTransient: true) : null;

        Assert.Equal([Renewal.Lost, .. Enumerable.Repeat(Renewal.Renewed, 5), Renewal.Unknown, Renewal.Unknown], await RenewAsync(due));
    }

    [Theory]
    [InlineData(30, 0, 30)]
    [InlineData(10, 0, 10)]
    [InlineData(60, 0, 30)]
    [InlineData(30, 5, 30)]
    [InlineData(10, 5, 10)]
    public async Task A_lock_lasts_no_longer_than_the_broker_s_last_answer_allows_for_and_than_it_did(int granted, int answersAfter, int seconds)
    {
        var due = Deliveries(2);
        (_lock, _answersAfter) = (TimeSpan.FromSeconds(granted), TimeSpan.FromSeconds(answersAfter));

        await RenewAsync(due);

        Assert.All(due, delivery => Assert.Equal(TimeSpan.FromSeconds(seconds), delivery.LockDuration));
    }

    private static ServiceBusDelivery[] Deliveries(int count, Func<int, long>? number = null) => [.. Enumerable.Range(0, count).Select(n => new ServiceBusDelivery
    {
        Message = new Message { Id = $"{n}" },
        Original = new AmqpMessage(),
        Entity = EntityName.Parse("orders"),
        LockToken = Guid.NewGuid(),
        SequenceNumber = number?.Invoke(n) ?? n,
        DeliveryCount = 1,
        EnqueuedAt = default,
        ArrivedAt = 0,
        LockDuration = s_lock,
    })];

    private async Task<Renewal[]> RenewAsync(ServiceBusDelivery[] due)
    {
        var outcomes = new Renewal[due.Length];
        await new Renewer(AskAsync, new BrokerClock(_time), _time).RenewAsync(due, outcomes, default);
        return outcomes;
    }

    private ValueTask<DateTimeOffset[]?> AskAsync(Guid[] tokens, CancellationToken cancel)
    {
        _requests.Add(tokens.Length);
        if (_fails(tokens) is { } problem)
            return ValueTask.FromException<DateTimeOffset[]?>(problem);
        var until = _time.GetUtcNow() + _lock;
        _time.Advance(_answersAfter);
        if (!tokens.Any(_lost.Contains))
            return new(Array.ConvertAll(tokens, _ => until));
        _refused++;
        return new((DateTimeOffset[]?)null);
    }
}
