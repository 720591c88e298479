using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class MiddlewareTests : IDisposable
{
    private readonly KeeperByHand _hand = new();
    private readonly List<string> _seen = [];

    public void Dispose() => _hand.Dispose();

    [Fact]
    public async Task Those_added_first_are_the_outermost_and_a_queue_has_its_own_among_them()
    {
        var (orders, parcels) = Build(holdfast => holdfast.Use(Noting("1")).Use(Noting("2"), "orders").Use(_ => Noting("3")));

        await CallAsync(orders);
        Assert.Equal(["1", "2", "3", "handler", "after 3", "after 2", "after 1"], _seen);

        _seen.Clear();
        await CallAsync(parcels);
        Assert.Equal(["1", "3", "handler", "after 3", "after 1"], _seen);
    }

    [Fact]
    public async Task One_that_does_not_go_on_ends_the_message_by_itself()
    {
        var (orders, _) = Build(holdfast => holdfast.Use(Noting("1")).Use((_, _, _) => new(Settlement.Abandon)));

        Assert.Equal(Settlement.Abandon, await CallAsync(orders));
        Assert.Equal(["1", "after 1"], _seen);
    }

    [Fact]
    public async Task One_may_hand_on_a_token_of_its_own()
    {
        using var source = new CancellationTokenSource();
        var given = CancellationToken.None;
        var (orders, _) = Build(holdfast => holdfast
            .Use((message, next, _) => next(message, source.Token))
            .Use((message, next, cancel) =>
            {
                given = cancel;
                return next(message, cancel);
            }));

        await CallAsync(orders);

        Assert.Equal(source.Token, given);
    }

    private Task<Settlement> CallAsync(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle)
    {
        var held = new HeldMessage("orders", _hand.Hold()) { Strand = _hand.Lanes.NewStrand(0, "a") };
        var call = held.Strand.Run(() => handle(held, default).AsTask());
        _hand.Lanes.RunUntilIdle();
        return call;
    }

    private Middleware Noting(string name) => async (message, next, cancel) =>
    {
        _seen.Add(name);
        var settlement = await next(message, cancel);
        _seen.Add($"after {name}");
        return settlement;
    };

    private (Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Orders, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> Parcels) Build(Action<HoldfastBuilder> use)
    {
        var services = new ServiceCollection();
        var holdfast = services.AddHoldfast().UseBroker(_ => new InMemoryBroker());
        use(holdfast);
        holdfast.Handle("orders", HandleAsync).Handle("parcels", HandleAsync);
        var provider = services.BuildServiceProvider();
        var built = provider.GetServices<QueueRegistration>().ToDictionary(queue => queue.Queue, queue => queue.Build(provider));
        return (built["orders"], built["parcels"]);
    }

    private ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        _seen.Add("handler");
        return new(Settlement.Complete);
    }
}
