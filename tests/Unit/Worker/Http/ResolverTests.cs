using System.Net;
using System.Net.Sockets;
using Holdfast.Virtual;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class ResolverTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_keptFor = TimeSpan.FromSeconds(1);
    private static readonly IPAddress[] s_addresses = [IPAddress.Loopback];

    private readonly VirtualTime _time = new();
    private readonly List<(string Name, CancellationToken Cancel, TaskCompletionSource<IPAddress[]> Answer)> _asked = [];
    private readonly Resolver _resolver;

    public ResolverTests() => _resolver = new(AskAsync, _time);

    [Fact]
    public async Task However_many_connect_at_once_a_name_is_looked_up_once()
    {
        var waiting = Enumerable.Range(0, 256).Select(_ => ResolveAsync("shop")).ToArray();
        Assert.Single(_asked).Answer.SetResult(s_addresses);
        Assert.All(await Task.WhenAll(waiting), found => Assert.Equal(s_addresses, found));
    }

    [Fact]
    public async Task What_was_found_serves_for_a_second_from_when_it_came_and_no_longer()
    {
        var first = ResolveAsync("shop");
        _time.Advance(2 * s_keptFor);
        _asked[0].Answer.SetResult(s_addresses);
        await first;

        _time.Advance(s_keptFor - TimeSpan.FromTicks(1));
        Assert.Equal(s_addresses, await ResolveAsync("SHOP"));
        Assert.Single(_asked);

        _time.Advance(TimeSpan.FromTicks(1));
        var moved = ResolveAsync("shop");
        _asked[1].Answer.SetResult([IPAddress.IPv6Loopback]);
        Assert.Equal([IPAddress.IPv6Loopback], await moved);
        Assert.Null(_time.UntilNextTimer);
    }

    [Fact]
    public async Task A_failure_is_told_to_all_who_waited_and_not_kept()
    {
        var (first, second) = (ResolveAsync("shop"), ResolveAsync("shop"));
        _asked[0].Answer.SetException(new SocketException((int)SocketError.TryAgain));
        await Assert.ThrowsAsync<SocketException>(() => first);
        await Assert.ThrowsAsync<SocketException>(() => second);

        var third = ResolveAsync("shop");
        _asked[1].Answer.SetResult(s_addresses);
        Assert.Equal(s_addresses, await third);
    }

    [Fact]
    public async Task Who_calls_it_off_waits_no_longer_and_takes_nobody_s_answer_away()
    {
        using var cancel = new CancellationTokenSource();
        var (first, second) = (_resolver.ResolveAsync("shop", cancel.Token), ResolveAsync("shop"));
        await cancel.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => first);

        Assert.False(Assert.Single(_asked).Cancel.CanBeCanceled);
        _asked[0].Answer.SetResult(s_addresses);
        Assert.Equal(s_addresses, await second);
    }

    [Fact]
    public async Task Each_name_is_looked_up_for_itself()
    {
        var (shop, bank) = (ResolveAsync("shop"), ResolveAsync("bank"));
        Assert.Equal(["shop", "bank"], _asked.Select(asked => asked.Name));
        _asked[1].Answer.SetResult([IPAddress.IPv6Loopback]);
        _asked[0].Answer.SetResult(s_addresses);
        Assert.Equal((s_addresses[0], IPAddress.IPv6Loopback), ((await shop)[0], (await bank)[0]));
    }

    [Fact]
    public async Task A_name_that_can_t_be_asked_for_fails_like_one_that_nobody_knows()
    {
        var resolver = new Resolver((_, _) => throw new ArgumentException("too long"), _time);
        await Assert.ThrowsAsync<ArgumentException>(() => resolver.ResolveAsync("shop", CancellationToken.None));
        await Assert.ThrowsAsync<ArgumentException>(() => resolver.ResolveAsync("shop", CancellationToken.None));
    }

    private Task<IPAddress[]> ResolveAsync(string name) => _resolver.ResolveAsync(name, CancellationToken.None).WaitAsync(s_patience);

    private Task<IPAddress[]> AskAsync(string name, CancellationToken cancel)
    {
        var answer = new TaskCompletionSource<IPAddress[]>();
        _asked.Add((name, cancel, answer));
        return answer.Task;
    }
}
