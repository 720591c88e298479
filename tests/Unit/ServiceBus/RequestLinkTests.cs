using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>Requests that are answered late or never, with a peer by hand.</summary>
public sealed class RequestLinkTests : IAsyncLifetime
{
    private NodeByHand _node = null!;

    public async ValueTask InitializeAsync() => _node = await NodeByHand.OpenAsync();

    public ValueTask DisposeAsync()
    {
        _node.Peer.Break();
        return ValueTask.CompletedTask;
    }

    [Fact]
    public async Task While_an_answer_is_awaited_silence_is_looked_into()
    {
        var asking = _node.AskAsync();
        var request = _node.NextRequest();
        _node.Time.Advance(TimeSpan.FromSeconds(2));
        _node.Peer.Connection.OnTick();
        Assert.True(_node.Peer.Next<Flow>().Echo);

        _node.Answer(request);

        Assert.True((await asking).IsSuccess);
        _node.Time.Advance(TimeSpan.FromSeconds(20));
        _node.Peer.Connection.OnTick();
        _node.Peer.NothingMore();
    }

    [Fact]
    public async Task An_opening_that_fails_waits_for_no_more_answers()
    {
        using var enough = new CancellationTokenSource();
        var opening = _node.OpenAnotherAsync(enough.Token);

        await enough.CancelAsync();

        Assert.True(opening.IsCanceled);
        _node.Peer.Next<End>();
    }
}
