using System.Net.Sockets;
using Holdfast.Worker.Management;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Hosting.Server;
using Microsoft.AspNetCore.Hosting.Server.Features;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Management;

public sealed class RoomTests
{
    // As many as may stay connected to the management port, and as many as may be connected at all.
    private const int Staying = 224;
    private const int Most = 256;

    // Three probes, ten seconds apart.
    private const int AsLongAsAKubeletBearsIt = 30_000;

    private readonly Room _room = new(most: 2);

    [Fact]
    public void Whoever_came_first_has_to_go_for_one_too_many()
    {
        var (first, second, third, fourth) = (Enter(), Enter(), Enter(), Enter());

        Assert.Equal((true, true, false, false), (first.MustGo, second.MustGo, third.MustGo, fourth.MustGo));
    }

    [Fact]
    public async Task Who_has_left_leaves_his_place_to_another()
    {
        var (first, second) = (Enter(), Enter());
        await first.LeaveAsync();
        var third = Enter();

        Assert.Equal((false, false), (second.MustGo, third.MustGo));
    }

    [Fact]
    public async Task Who_had_to_go_and_leaves_at_last_gives_no_place_that_he_had_not()
    {
        var (first, second) = (Enter(), Enter());
        Enter();
        await first.LeaveAsync();
        Enter();

        Assert.True(second.MustGo);
    }

    [Fact(Timeout = AsLongAsAKubeletBearsIt)]
    public async Task As_many_as_may_connect_and_ask_for_nothing_keep_no_probe_out()
    {
        using var host = new HostBuilder()
            .ConfigureWebHost(web => web
                .UseKestrelCore().UseUrls("http://127.0.0.1:0").ConfigureKestrel(ManagementLimits.Set)
                .Configure(app => app.Run(context => context.Response.WriteAsync("alive"))))
            .Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var address = new Uri(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());
        using var idle = new Idle(address);
        for (var i = 0; i < Most; i++)
        {
            await idle.ConnectAsync();
            if (i >= Staying)
                await idle.IsOneLetGoAsync();
        }

        using var probe = new HttpClient();
        Assert.Equal("alive", await probe.GetStringAsync(address, TestContext.Current.CancellationToken));
    }

    private Guest Enter() => new(_room);

    /// <summary>Who is connected, until he leaves.</summary>
    private sealed class Guest : IConnectionLifetimeNotificationFeature
    {
        private readonly TaskCompletionSource _left = new();
        private readonly Task _stay;

        public Guest(Room room)
        {
            var connection = new DefaultConnectionContext();
            connection.Features.Set<IConnectionLifetimeNotificationFeature>(this);
            _stay = room.HostAsync(connection, _ => _left.Task);
        }

        public bool MustGo { get; private set; }

        public CancellationToken ConnectionClosedRequested { get; set; }

        public void RequestClose() => MustGo = true;

        public Task LeaveAsync()
        {
            _left.SetResult();
            return _stay;
        }
    }

    /// <summary>Connections that ask for nothing.</summary>
    private sealed class Idle(Uri address) : IDisposable
    {
        private readonly List<TcpClient> _clients = [];
        private readonly SemaphoreSlim _letGo = new(0);

        public async Task ConnectAsync()
        {
            var client = new TcpClient();
            _clients.Add(client);
            await client.ConnectAsync(address.Host, address.Port, TestContext.Current.CancellationToken);
            _ = StayAsync(client);
        }

        // Which of them that is is not known here: those that connect at about the same time may come in in another order.
        public Task IsOneLetGoAsync() => _letGo.WaitAsync(TestContext.Current.CancellationToken);

        public void Dispose() => _clients.ForEach(client => client.Dispose());

        private async Task StayAsync(TcpClient client)
        {
            if (await client.GetStream().ReadAsync(new byte[1]) == 0)
                _letGo.Release();
        }
    }
}
