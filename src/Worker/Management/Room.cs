using Microsoft.AspNetCore.Connections;
using Microsoft.AspNetCore.Connections.Features;

namespace Holdfast.Worker.Management;

/// <summary>
/// Keeps room for the next who connects, such as a probe: where more are connected than may stay, the one that came first has to go, once it has the
/// answer that it asked for; and of those that have to, the one that came first is cut off where they are too many. So neither those that ask for
/// nothing nor those that never end what they began keep anybody out. On the .NET pool.
/// </summary>
internal sealed class Room(int mostStaying, int mostLeaving)
{
    private readonly Lock _gate = new();
    private readonly LinkedList<ConnectionContext> _staying = [];
    private readonly LinkedList<ConnectionContext> _leaving = [];

    public async Task HostAsync(ConnectionContext connection, ConnectionDelegate serve)
    {
        var place = new LinkedListNode<ConnectionContext>(connection);
        Enter(place);
        try
        {
            await serve(connection);
        }
        finally
        {
            Leave(place);
        }
    }

    private void Enter(LinkedListNode<ConnectionContext> place)
    {
        LinkedListNode<ConnectionContext>? mustGo, isLate;
        lock (_gate)
        {
            _staying.AddLast(place);
            mustGo = OneTooMany(_staying, mostStaying);
            if (mustGo is not null)
                _leaving.AddLast(mustGo);
            isLate = OneTooMany(_leaving, mostLeaving);
        }

        mustGo?.Value.Features.Get<IConnectionLifetimeNotificationFeature>()?.RequestClose();
        isLate?.Value.Abort();
    }

    private void Leave(LinkedListNode<ConnectionContext> place)
    {
        lock (_gate)
            place.List?.Remove(place);
    }

    private static LinkedListNode<ConnectionContext>? OneTooMany(LinkedList<ConnectionContext> connections, int most)
    {
        if (connections.Count <= most)
            return null;
        var first = connections.First!;
        connections.Remove(first);
        return first;
    }
}
