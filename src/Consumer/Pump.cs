using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// Takes deliveries of one queue while there is room, and puts each under lease at once. It asks on the Receive lane;
/// what comes is taken in wherever it arrives, for a message ages from that moment on.
/// </summary>
internal sealed class Pump(QueueRun queue, IBroker broker, LeaseKeeper keeper)
{
    private static readonly TimeSpan s_firstBackoff = TimeSpan.FromMilliseconds(200);
    private static readonly TimeSpan s_longestBackoff = TimeSpan.FromSeconds(30);

    // Trouble that comes after the broker was reached for so long is not the last one that goes on, though no message may have come meanwhile.
    private static readonly TimeSpan s_peace = TimeSpan.FromSeconds(10);

    private readonly CancellationTokenSource _stop = new();
    private Delivery[] _taken = [];
    private int _troubles;
    private TimeSpan _lastTrouble;

    public QueueRun Queue => queue;

    /// <summary>Runs until it is stopped. Throws only what no new try can heal.</summary>
    public async Task RunAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            try
            {
                if (!queue.IsOpen)
                    await queue.OpenAsync(await broker.OpenReceiverAsync(queue.Queue, inOrder: queue.Order is not null, _stop.Token));
                await TakeAsync();
            }
            catch (Exception end) when (_stop.IsCancellationRequested && end is OperationCanceledException or BrokerException)
            {
                return;
            }
            catch (BrokerException problem) when (problem.IsTransient)
            {
                await BackOffAsync(problem);
            }
        }
    }

    /// <summary>Takes nothing more.</summary>
    public void Stop()
    {
        queue.Order?.Close();
        try
        {
            _stop.Cancel();
        }
        catch (AggregateException ofReceiver)
        {
            // Of what a receiver has registered: the stop goes on, also of the other queues.
            queue.Log.ClosingFailed(queue.Queue, ErrorText.Of(ofReceiver));
        }

        queue.Admission.CallOff();
    }

    private async Task TakeAsync()
    {
        while (!_stop.IsCancellationRequested)
        {
            await queue.Admission.RoomAsync();
            await queue.ReceiveTurn;

            var room = queue.Admission.Room;
            if (room == 0 || _stop.IsCancellationRequested)
                continue;

            if (_taken.Length < room)
                _taken = new Delivery[room];
            var asked = queue.Lanes.Clock.Now;
            int count;
            try
            {
                count = await queue.Receiver.ReceiveAsync(_taken.AsMemory(0, room), _stop.Token);
            }
            catch (BrokerException problem)
            {
                queue.Meter.Receiving.Failed(problem, queue.Lanes.Clock.Now - asked);
                throw;
            }

            var answered = queue.Lanes.Clock.Now;
            NoteSuccess();
            queue.EndSevered();
            Hold(_taken.AsSpan(0, count));

            // The leases first, then whoever listens.
            Tell(_taken.AsSpan(0, count), asked, answered);
            _taken.AsSpan(0, count).Clear();
        }
    }

    private void Hold(ReadOnlySpan<Delivery> deliveries)
    {
        queue.Meter.Receive(deliveries.Length);
        using var together = queue.Lanes.Together();
        foreach (var delivery in deliveries)
        {
            var lease = keeper.Hold(queue.Leases, delivery);
            var journey = new Journey(queue, lease, keeper);
            queue.Admission.Enter(journey);

            // Whoever drains has looked at what is in hand after the stop, or it was in hand before.
            if (_stop.IsCancellationRequested)
                _ = journey.GiveBackUnbegunAsync();
            else
                journey.Start();
        }
    }

    private void Tell(ReadOnlySpan<Delivery> taken, TimeSpan asked, TimeSpan answered)
    {
        queue.Meter.Receiving.Done(answered - asked);
        queue.Tracer.Received(taken, asked, answered, queue.Lanes.Clock);
    }

    private void NoteSuccess()
    {
        if (queue.Problem is null)
            return;

        queue.BeContent();
        _troubles = 0;
    }

    private async Task BackOffAsync(BrokerException trouble)
    {
        var problem = trouble.Message;

        // The same trouble is told once, but that the broker is reached is not to be the last word while it goes on.
        var isAnother = !Complaint.IsSame(queue.Problem, problem);
        var wasReached = queue.Complain(problem);
        if (wasReached && queue.Lanes.Clock.Now - _lastTrouble > s_peace)
            _troubles = 0;
        var backoff = Doubling.Of(s_firstBackoff, _troubles++, s_longestBackoff);
        if (trouble.RetryAfter is { } asked && asked > backoff)
            backoff = asked;
        if (wasReached || isAnother)
            queue.Log.BrokerTrouble(queue.Queue, problem, backoff.TotalSeconds);

        await Rest.ForAsync(backoff, queue.Time, _stop.Token);
        _lastTrouble = queue.Lanes.Clock.Now;
        queue.TryAgain();
    }
}
