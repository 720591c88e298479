using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration.Commands;

namespace Holdfast.Tests.Integration;

/// <summary>
/// A replay into a queue that has no room. The server offers anew, after three minutes by default, whatever its target has not confirmed by then: here sooner,
/// and for these tests alone. Where a machine is busier than that, it offers what the target has all the same, and a classic queue takes it twice.
/// </summary>
[Collection(nameof(Alone))]
public sealed class FullTests : IClassFixture<VirtualHost>, IAsyncLifetime
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(5);

    private readonly VirtualHost _vhost;

    public FullTests(VirtualHost vhost)
    {
        vhost.Server.NodeIsNeeded();
        _vhost = vhost;
    }

    public async ValueTask InitializeAsync() => await SetAsync(s_patience);

    public async ValueTask DisposeAsync() => await SetAsync(TimeSpan.FromMinutes(3));

    [Theory]
    [InlineData(QueueType.Quorum)]
    [InlineData(QueueType.Classic)]
    public async Task A_queue_that_is_full_gets_the_rest_of_a_replay_once_there_is_room(QueueType type)
    {
        // Far more than are on their way at once: the server counts them only after it has let them in.
        const int Messages = 500;

        await using var pile = await Pile.MakeAsync(_vhost, type);
        await pile.FillAsync(Messages);
        await _vhost.LimitAsync(pile.Queue, 10);

        var (code, _, error) = await HoldfastCommand.RunAsync(pile.Settings, "dead", "replay", "--yes");

        Assert.Empty(error);
        Assert.Equal(0, code);
        await Eventually.HoldsAsync("it to be full", async () => await pile.CountAsync(pile.Queue) >= 10);
        Assert.NotEqual((uint)Messages, await pile.CountAsync(pile.Queue));
        await _vhost.LimitAsync(pile.Queue, 2 * Messages);
        await pile.HasAsync(pile.Queue, Messages);
        Assert.Equal(Enumerable.Range(0, Messages), (await pile.TakeAllAsync(pile.Queue)).Select(message => int.Parse(message.Envelope.MessageId!)).Order());
    }

    // A queue asks for it when it begins to pass on what it gives up.
    private async Task SetAsync(TimeSpan patience) =>
        await _vhost.Server.Node.ControlAsync("eval", $"application:set_env(rabbit, dead_letter_worker_publisher_confirm_timeout, {patience.TotalMilliseconds}).");
}
