using System.Net.Sockets;
using System.Text;
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
    private const int AFewMore = 16;

    // Three probes, ten seconds apart.
    private const int AsLongAsAKubeletBearsIt = 30_000;

    private readonly Room _room = new(mostStaying: 2, mostLeaving: 2);

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

    [Fact]
    public void Of_those_who_had_to_go_and_stay_the_first_is_cut_off_for_one_too_many()
    {
        var (first, second, third, fourth) = (Enter(), Enter(), Enter(), Enter());
        Assert.False(first.IsCutOff);
        Enter();

        Assert.Equal((true, false, false, false), (first.IsCutOff, second.IsCutOff, third.IsCutOff, fourth.IsCutOff));
    }

    [Fact]
    public async Task For_those_who_went_when_they_had_to_nobody_is_cut_off()
    {
        var (first, second, third) = (Enter(), Enter(), Enter());
        await first.LeaveAsync();
        Enter();
        Enter();

        Assert.Equal((true, true), (second.MustGo, third.MustGo));
        Assert.Equal((false, false), (second.IsCutOff, third.IsCutOff));
    }

    [Fact(Timeout = AsLongAsAKubeletBearsIt)]
    public async Task As_many_as_may_connect_and_ask_for_nothing_keep_no_probe_out()
    {
        using var host = await StartAsync();
        using var idle = new Idle(host.Address, asking: "");
        for (var i = 0; i < Most; i++)
        {
            await idle.ConnectAsync();
            if (i >= Staying)
                await idle.IsOneLetGoAsync();
        }

        Assert.Equal("alive", await host.ProbeAsync());
    }

    [Fact(Timeout = AsLongAsAKubeletBearsIt)]
    public async Task As_many_as_may_connect_and_ask_for_half_of_it_keep_no_probe_out()
    {
        using var host = await StartAsync();
        using var idle = new Idle(host.Address, asking: "GET / HTTP/1.1\r\nHost: localhost\r\nX: a");
        for (var i = 0; i < Most + AFewMore; i++)
        {
            await idle.ConnectAsync();
            if (i >= Most)
                await idle.IsOneLetGoAsync();
        }

        Assert.Equal("alive", await host.ProbeAsync());
    }

    private Guest Enter() => new(_room);

    private static async Task<Port> StartAsync()
    {
        var host = new HostBuilder()
            .ConfigureWebHost(web => web
                .UseKestrelCore().UseUrls("http://127.0.0.1:0").ConfigureKestrel(ManagementLimits.Set)
                .Configure(app => app.Run(context => context.Response.WriteAsync("alive"))))
            .Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        return new(host);
    }

    /// <summary>A port with the limits of the management port, behind which all is well.</summary>
    private sealed class Port(IHost host) : IDisposable
    {
        public Uri Address { get; } = new(host.Services.GetRequiredService<IServer>().Features.Get<IServerAddressesFeature>()!.Addresses.Single());

        public async Task<string> ProbeAsync()
        {
            using var probe = new HttpClient();
            return await probe.GetStringAsync(Address, TestContext.Current.CancellationToken);
        }

        public void Dispose() => host.Dispose();
    }

    /// <summary>Who is connected, until he leaves.</summary>
    private sealed class Guest : DefaultConnectionContext, IConnectionLifetimeNotificationFeature
    {
        private readonly TaskCompletionSource _left = new();
        private readonly Task _stay;

        public Guest(Room room)
        {
            Features.Set<IConnectionLifetimeNotificationFeature>(this);
            _stay = room.HostAsync(this, _ => _left.Task);
        }

        public bool MustGo { get; private set; }

        public bool IsCutOff { get; private set; }

        public CancellationToken ConnectionClosedRequested { get; set; }

        public void RequestClose() => MustGo = true;

        public override void Abort(ConnectionAbortedException abortReason) => IsCutOff = true;

        public Task LeaveAsync()
        {
            _left.SetResult();
            return _stay;
        }
    }

    /// <summary>Connections that ask for nothing, or never end what they ask.</summary>
    private sealed class Idle(Uri address, string asking) : IDisposable
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
            try
            {
                await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(asking));
                if (await client.GetStream().ReadAsync(new byte[1]) == 0)
                    _letGo.Release();
            }
            catch (IOException)
            {
                _letGo.Release();
            }
        }
    }
}
