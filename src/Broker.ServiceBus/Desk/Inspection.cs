using System.Runtime.CompilerServices;

namespace Holdfast.Broker.ServiceBus;

/// <summary>Looks at what a worker will need of a namespace. It takes no message.</summary>
internal sealed class Inspection(ServiceBusBroker broker, string queue, bool? sessions, int maxDeliveries)
{
    public async IAsyncEnumerable<Finding> RunAsync([EnumeratorCancellation] CancellationToken cancel)
    {
        if (broker.EndsAt is { } end)
        {
            var ofSignature = OfSignature(end);
            yield return ofSignature;
            if (ofSignature.Severity == Severity.Error)
                yield break;
        }

        var entity = EntityName.Parse(queue);
        yield return await TryAsync($"We may receive from '{queue}', and whether it requires sessions is {(sessions is null ? "found out" : "set right")}.", () => ReceiveAsync(entity, cancel)).ConfigureAwait(false);
        yield return await TryAsync($"Locks of '{queue}' can be renewed, and its messages looked at.", () => LookAsync(queue, cancel)).ConfigureAwait(false);
        if (!entity.IsSubqueue)
            yield return await TryAsync("Its dead letters can be looked at.", () => LookAsync(EntityName.DeadLettersOf(queue), cancel)).ConfigureAwait(false);
        if (entity.CanBeSentTo)
            yield return await TryAsync($"We may send to '{queue}': retries can be delayed.", () => OpenAsync(broker.OpenSenderAsync(queue, cancel))).ConfigureAwait(false);
        else
            yield return Finding.Warning($"Nothing can be sent to '{queue}' itself: a retry that is to wait is given back at once instead.");
        yield return Finding.Warning(entity.IsSubqueue
            ? $"What fails for good in '{queue}' has nowhere to go: it stays there, and comes again each time its lock ends; after Worker__Retry__MaxDeliveries, {maxDeliveries}, without being handled."
            : $"How often the broker delivers a message before it puts it aside by itself is not told to clients; see to it that the max delivery count of '{queue}' is more than Worker__Retry__MaxDeliveries, {maxDeliveries}.");
        yield return Finding.Warning("Whether the broker's clock agrees with ours is not known, for it tells its time with a message or a session alone; see to it that this machine's clock is set by the network: delays are counted by it. Leases hold all the same.");
    }

    private Finding OfSignature(DateTimeOffset end)
    {
        var now = broker.Time.GetUtcNow();
        return end <= now ? Finding.Error(SignedToken.Over(end))
            : TokenTerms.WarnIn(now, end) > TimeSpan.Zero ? Finding.Ok($"The SharedAccessSignature in {OptionRules.Connection} lets us in until {end:u}.")
            : Finding.Warning($"The SharedAccessSignature in {OptionRules.Connection} expires at {end:u}, and what a worker holds then is missed; start it with a new one before that.");
    }

    // With sessions nothing is attached before one is taken: so it is tried without, which is refused where they are required.
    private async Task ReceiveAsync(EntityName entity, CancellationToken cancel)
    {
        await OpenAsync(broker.OpenReceiverAsync(queue, cancel)).ConfigureAwait(false);
        if (sessions == true && !entity.IsSubqueue && !await broker.RequiresSessionsAsync(queue, cancel).ConfigureAwait(false))
            throw new BrokerException($"'{queue}' requires no sessions. Leave Worker__ServiceBus__Sessions and Worker__ServiceBus__SessionId out.", isTransient: false);
    }

    private async Task LookAsync(string name, CancellationToken cancel) => await broker.Node(name).PeekAsync(from: 0, most: 1, cancel).ConfigureAwait(false);

    private static async Task OpenAsync<T>(ValueTask<T> opening)
        where T : IAsyncDisposable
    {
        var opened = await opening.ConfigureAwait(false);
        await opened.DisposeAsync().ConfigureAwait(false);
    }

    private static async Task<Finding> TryAsync(string good, Func<Task> attempt)
    {
        try
        {
            await attempt().ConfigureAwait(false);
            return Finding.Ok(good);
        }
        catch (BrokerException problem)
        {
            return Finding.Error(problem.Message);
        }
        finally
        {
            await Hop.ToPool();
        }
    }
}
