using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>A broker that answers nothing any more is waited for no longer than agreed, whatever was asked of it.</summary>
public sealed class WaitTests : IAsyncLifetime
{
    // What is agreed is a second, and two for what is closed.
    private static readonly TimeSpan s_soon = TimeSpan.FromSeconds(15);

    private PrivateNamespace _space = null!;
    private TcpProxy _proxy = null!;
    private ServiceBusBroker _broker = null!;

    public async ValueTask InitializeAsync()
    {
        _space = await PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(60) });
        _proxy = new TcpProxy("127.0.0.1", _space.Server.Port);
        _broker = new ServiceBusBroker(new ServiceBusBrokerOptions
        {
            ConnectionString = _space.Server.ConnectionString(port: _proxy.Port),
            OperationTimeout = TimeSpan.FromSeconds(1),
        });
    }

    public async ValueTask DisposeAsync()
    {
        await _broker.DisposeAsync();
        await _proxy.DisposeAsync();
        await _space.DisposeAsync();
    }

    [Fact]
    public async Task To_attach()
    {
        await using var sender = await _broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        _proxy.Swallow(Traffic.BothWays);

        var opening = _broker.OpenReceiverAsync(PrivateNamespace.Queue, default).AsTask();

        var silent = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_soon));
        Assert.Contains("'orders' (attach) for 1 s", silent.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task To_let_us_use_an_entity()
    {
        await using var sender = await _broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        _proxy.Swallow(Traffic.BothWays);

        var opening = _broker.OpenReceiverAsync("others", default).AsTask();

        var silent = await Assert.ThrowsAsync<BrokerException>(() => opening.WaitAsync(s_soon));
        Assert.Contains("(put-token)", silent.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task To_renew()
    {
        await _broker.SendAsync(PrivateNamespace.Queue, "a");
        await using var receiver = await _broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        var held = await receiver.TakeAsync();
        _proxy.Swallow(Traffic.BothWays);

        var renewing = receiver.RenewAsync(held);

        var silent = await Assert.ThrowsAsync<BrokerException>(() => renewing.WaitAsync(s_soon));
        Assert.Matches(@"'orders' \(renew-lock\) for [1-9]\d? s\.", silent.Message);
    }

    [Fact]
    public async Task To_close_a_sender()
    {
        var sender = await _broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        _proxy.Swallow(Traffic.BothWays);

        await sender.DisposeAsync().AsTask().WaitAsync(s_soon);
    }
}
