using Holdfast.Tests.Servers.ServiceBus;

namespace Holdfast.Tests.Integration.ServiceBus;

/// <summary>Tokens that end while work goes on.</summary>
public sealed class TokenTests
{
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
        await trial.Control.FaultAsync(new Fault("put-token", FaultEffect.Fail) { Status = 401, Condition = "amqp:unauthorized-access", Description = "InvalidSignature: The token has an invalid signature." });
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
}
