using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Holdfast.Worker.Management;

/// <summary>
/// Keeps room for the next who connects, such as a probe: where more are connected than may stay, the one that came first has to go, once it has the
/// answer that it asked for. So those that ask for nothing keep nobody out, and one that is in the middle of something loses nothing. On the .NET pool.
/// </summary>
internal sealed class Room(int most)
{
    private readonly Lock _gate = new();
    private readonly LinkedList<ConnectionContext> _staying = [];

    public async Task HostAsync(ConnectionContext connection, ConnectionDelegate serve)
    {
        var place = new LinkedListNode<ConnectionContext>(connection);
        Enter(place)?.Features.Get<IConnectionLifetimeNotificationFeature>()?.RequestClose();
        try
        {
            await serve(connection);
        }
        finally
        {
            Leave(place);
        }
    }

    // Who has to go for it.
    private ConnectionContext? Enter(LinkedListNode<ConnectionContext> place)
    {
        lock (_gate)
        {
            _staying.AddLast(place);
            if (_staying.Count <= most)
                return null;
            var first = _staying.First!;
            _staying.Remove(first);
            return first.Value;
        }
    }

    private void Leave(LinkedListNode<ConnectionContext> place)
    {
        lock (_gate)
        {
            if (place.List is not null)
                _staying.Remove(place);
        }
    }
}
