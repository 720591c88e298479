using System.Net;

namespace Holdfast.Worker.Http;

/// <summary>
/// Looks names up for all who connect: a name once at a time, however many ask for it, and what is found serves those who ask in the next moment as well.
/// .NET itself has each lookup of a name wait for the one before it. Any thread.
/// </summary>
/// <param name="lookUp">Asks the system.</param>
/// <param name="time">The clock that an answer ages by.</param>
internal sealed class Resolver(Func<string, CancellationToken, Task<IPAddress[]>> lookUp, TimeProvider time)
{
    private static readonly TimeSpan s_keptFor = TimeSpan.FromSeconds(1);

    private readonly Lock _gate = new();
    private readonly Dictionary<string, Task<Found>> _lookups = new(StringComparer.OrdinalIgnoreCase);

    /// <summary>Finds the addresses of a name. Who calls it off does so for itself alone.</summary>
    public async Task<IPAddress[]> ResolveAsync(string name, CancellationToken cancel) => (await Lookup(name).WaitAsync(cancel)).Addresses;

    private Task<Found> Lookup(string name)
    {
        lock (_gate)
        {
            if (_lookups.TryGetValue(name, out var known) && IsOfUse(known))
                return known;

            ForgetWhatIsOld();
            return _lookups[name] = LookUpAsync(name);
        }
    }

    private async Task<Found> LookUpAsync(string name)
    {
        var addresses = await lookUp(name, CancellationToken.None);
        return new(addresses, time.GetTimestamp());
    }

    private bool IsOfUse(Task<Found> lookup) =>
        !lookup.IsCompleted || (lookup.IsCompletedSuccessfully && time.GetElapsedTime(lookup.Result.At) < s_keptFor);

    private void ForgetWhatIsOld()
    {
        foreach (var (name, lookup) in _lookups)
        {
            if (!IsOfUse(lookup))
                _lookups.Remove(name);
        }
    }

    private sealed record Found(IPAddress[] Addresses, long At);
}
