using Azure.Core;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Tokens that end while work goes on.</summary>
public sealed class TokenTests
{
    private const string Bearer = "let in";

    private static readonly TimeSpan s_short = TimeSpan.FromSeconds(2);

    private static readonly Fault s_refused = new Fault("put-token", FaultEffect.Fail) { Status = 401, Condition = "amqp:unauthorized-access", Description = "InvalidSignature: The token has an invalid signature." };

    private int _asked;

    [Fact]
    public async Task When_its_tokens_end_in_the_midst_of_work_the_client_shows_new_ones_and_misses_no_lease()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 6);
        var sent = Port.Names(60);
        await trial.Broker.SendAsync(Trial.Queue, sent);
        await using var consuming = await Consuming.StartAsync(
            trial.Broker,
            Trial.Queue,
            async (_, cancel) =>
            {
                await Task.Delay(TimeSpan.FromSeconds(4), cancel);
                return Settlement.Complete;
            },
            options => options.MaxConcurrency = 20);
        await Eventually.HoldsAsync("some to be held", () => consuming.Queue.LeasesHeld == 20);
        await trial.Control.ClearStatsAsync();

        await trial.Control.ExpireTokensAsync();

        await consuming.DoneAsync(sent.Length);
        consuming.Explains(sent);
        Assert.Equal(0, consuming.Queue.Misses);
        Assert.True((await trial.Control.StatsAsync()).Of("put-token") > 0);
        await trial.NothingIsLeftAsync();
    }

    [Fact]
    public async Task A_token_that_the_broker_takes_no_more_is_one_clear_line_without_the_key()
    {
        await using var trial = await Trial.StartAsync(lockSeconds: 20);
        await using var receiver = await trial.Broker.OpenReceiverAsync(Trial.Queue, default);
        await trial.Control.FaultAsync(s_refused);
        await trial.Control.ExpireTokensAsync();

        BrokerException? refused = null;
        await Eventually.HoldsAsync("the refusal to be told", async () =>
        {
            try
            {
                await receiver.ReceiveAsync(new Delivery[1], default);
            }
            catch (BrokerException told)
            {
                refused = told;
            }

            return refused?.Message.Contains("InvalidSignature", StringComparison.Ordinal) == true;
        });

        Assert.DoesNotContain('\n', refused!.Message);
        Assert.DoesNotContain(trial.Space.Server.Key, refused.Message, StringComparison.Ordinal);
        await trial.Control.ClearFaultsAsync();
        await trial.Broker.SendAsync(Trial.Queue, "a");
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_refused_the_next_token_is_told_when_the_last_one_has_ended_and_not_the_end_alone(bool requiresSession)
    {
        await using var server = await StartAsync(requiresSession);
        await using var broker = BrokerOfShortTokens(server);
        await using (var sender = await broker.OpenSenderAsync(PrivateNamespace.Queue, default))
            await sender.SendAsync(new Message { Id = "1", SessionId = requiresSession ? "a" : null }, TimeSpan.Zero, default);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await receiver.TakeAsync();
        await server.Control.FaultAsync(s_refused);
        var asked = Volatile.Read(ref _asked);
        await Eventually.HoldsAsync("the next one to be refused", () => Volatile.Read(ref _asked) >= asked + 2);
        var receiving = receiver.ReceiveAsync(new Delivery[1], default).AsTask();

        await server.Control.ExpireTokensAsync();

        Assert.Contains("InvalidSignature", (await Assert.ThrowsAsync<BrokerException>(() => receiving)).Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task A_token_that_ends_and_can_not_be_renewed_is_told_of_while_all_still_goes_well(bool requiresSession)
    {
        await using var server = await StartAsync(requiresSession);
        await using var broker = BrokerOfShortTokens(server);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        Assert.Null(receiver.Obstacle);

        await server.Control.FaultAsync(s_refused);

        await Eventually.HoldsAsync("it to be told", () => receiver.Obstacle is not null);
        Assert.True(receiver.IsConnected);
        Assert.Contains("is missed. ", receiver.Obstacle, StringComparison.Ordinal);
        Assert.Contains("InvalidSignature", receiver.Obstacle, StringComparison.Ordinal);
        Assert.DoesNotContain(Bearer, receiver.Obstacle, StringComparison.Ordinal);
        await server.Control.ClearFaultsAsync();
        await Eventually.HoldsAsync("it to be renewed", () => receiver.Obstacle is null);
    }

    [Fact]
    public async Task A_token_is_renewed_while_anything_of_its_queue_is_open_and_no_longer()
    {
        await using var server = await StartAsync();
        await using var broker = BrokerOfShortTokens(server);
        await using (await broker.OpenSenderAsync(PrivateNamespace.Queue, default))
            await Eventually.HoldsAsync("new ones to be asked for", () => Volatile.Read(ref _asked) >= 3);

        var asked = Volatile.Read(ref _asked);
        await Task.Delay(s_short * 3);

        // One may have been on its way.
        Assert.InRange(Volatile.Read(ref _asked), asked, asked + 1);
        await broker.SendAsync(PrivateNamespace.Queue, "a");
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await receiver.CompleteAsync(await receiver.TakeAsync());
    }

    [Fact]
    public async Task Of_ever_new_queues_no_token_is_kept_that_nothing_lives_by()
    {
        const int Many = 260;
        var time = new CountedTime();
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewBroker(time: time);
        await using var living = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        var names = Port.Names(Many);
        foreach (var answers in names)
        {
            await server.Control.PutQueueAsync(answers);
            await using var sender = await broker.OpenSenderAsync(answers, default);
        }

        await server.Control.ClearStatsAsync();
        await using var another = await broker.OpenSenderAsync(PrivateNamespace.Queue, default);
        Assert.Equal(0, (await server.Control.StatsAsync()).Of("put-token"));
        await using var again = await broker.OpenSenderAsync(names[0], default);
        Assert.Equal(1, (await server.Control.StatsAsync()).Of("put-token"));

        // None of those that were dropped has anything left to be done.
        Assert.InRange(time.Armed, 1, Many / 2);
        await broker.DisposeAsync();
        Assert.Equal(0, time.Armed);
    }

    [Fact]
    public async Task What_the_broker_refuses_beside_it_does_not_end_the_renewal_of_a_token_that_others_live_by()
    {
        await using var server = await StartAsync();
        await using var broker = BrokerOfShortTokens(server);
        await using var receiver = await broker.OpenReceiverAsync(PrivateNamespace.Queue, default);
        await server.Control.FaultAsync(new Fault("attach", FaultEffect.Fail) { Entity = PrivateNamespace.Queue, Condition = "amqp:unauthorized-access" });
        await Assert.ThrowsAsync<BrokerException>(() => broker.OpenSenderAsync(PrivateNamespace.Queue, default).AsTask());

        var asked = Volatile.Read(ref _asked);

        await Eventually.HoldsAsync("new ones to be asked for", () => Volatile.Read(ref _asked) >= asked + 2);
    }

    private static Task<PrivateNamespace> StartAsync(bool requiresSession = false) =>
        PrivateNamespace.StartAsync(new QueueSettings { LockDuration = TimeSpan.FromSeconds(20), RequiresSession = requiresSession }, new ServiceBusServerOptions { Tls = true, BearerToken = Bearer });

    private ServiceBusBroker BrokerOfShortTokens(PrivateNamespace server) => new(new ServiceBusBrokerOptions
    {
        FullyQualifiedNamespace = $"localhost:{server.Server.TlsPort}",
        Credential = DelegatedTokenCredential.Create((_, _) =>
        {
            Interlocked.Increment(ref _asked);
            return new AccessToken(Bearer, DateTimeOffset.UtcNow + s_short);
        }),
        CaFile = server.Server.Certificates!.CaFile,
    });
}
