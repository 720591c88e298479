using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>What one life has to do with the store of its place. What it keeps it keeps for the lives that follow.</summary>
internal sealed class Store(StorePlan plan, HashSet<string> kept, World world, VirtualProcess process, int life, Random random) : IIdempotencyStore
{
    private readonly Dictionary<string, int> _messages = [];

    /// <summary>A message has come to this life, which may tell of it by its key.</summary>
    public void Meet(Delivery delivery)
    {
        if (Sameness.KeyOf(delivery) is { } key)
            _messages[key] = EventLog.MessageOf(delivery.Message);
    }

    public async ValueTask RememberAsync(string queue, string key, CancellationToken cancel)
    {
        Note(EventKind.StoreTold, key);
        await AskAsync(
            () =>
            {
                Note(EventKind.StoreKept, key);
                return kept.Add(queue + key);
            },
            cancel).ConfigureAwait(false);
    }

    public async ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel) =>
        await AskAsync(() => kept.Contains(queue + key), cancel).ConfigureAwait(false);

    private Task<bool> AskAsync(Func<bool> answer, CancellationToken cancel)
    {
        var call = new Call<bool>(process, _ => { }, cancel);
        var isSilent = random.Happens(plan.Silent);
        var fails = random.Happens(plan.Failing);
        world.After(plan.Longest * random.NextDouble(), () =>
        {
            // What a process asked for just before it was killed is done, or is not.
            if (isSilent || process.IsDead)
                return;
            if (fails)
                call.Fail(new IOException("The disk is full."));
            else
                call.Succeed(answer());
        });
        return call.Answer;
    }

    private void Note(EventKind kind, string key) => world.Log.Add(kind, life, _messages[key]);
}
