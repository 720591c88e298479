namespace Holdfast.Broker.RabbitMq;

/// <summary>Brings together what has arrived on a channel and who waits for it. Any thread.</summary>
internal sealed class Handover(Intake intake, Shelf shelf, Taps taps, SignsOfLife signs)
{
    private static readonly TimeSpan s_timeToShut = TimeSpan.FromSeconds(1);

    public async ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        intake.ThrowIfOver();
        taps.Ask(room.Length, shelf.Count);
        try
        {
            return await TakeAsync(room, cancel).ConfigureAwait(false) is > 0 and var taken ? taken : await TakeFirstAsync(room, cancel).ConfigureAwait(false);
        }
        finally
        {
            taps.Leave();
        }
    }

    private async ValueTask<int> TakeFirstAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        using var callOff = cancel.UnsafeRegister(static shelf => ((Shelf)shelf!).Wake(), shelf);
        while (true)
        {
            // Before the look, so that nothing that comes after it is missed.
            var next = shelf.WaitAsync();
            intake.ThrowIfOver();
            if (await TakeAsync(room, cancel).ConfigureAwait(false) is > 0 and var taken)
                return taken;
            if (signs.Problem is { } problem)
                throw new BrokerException(problem.Message, problem.IsTransient, problem);
            if (signs.TakeSilence() is { } silence)
                throw silence;
            if (cancel.IsCancellationRequested)
                return await CallOffAsync(room, cancel).ConfigureAwait(false);
            await next.ConfigureAwait(false);
        }
    }

    // A process that stood still finds in its socket what the server has sent to it before it gave it up, and has long given to others.
    // And what has lain here for long is to begin with a lease that lasts.
    private ValueTask<int> TakeAsync(Memory<Delivery> room, CancellationToken cancel) =>
        shelf.OldestArrivedAt is { } oldest && (signs.AreInDoubt || signs.IsStale(oldest)) ? AskAndTakeAsync(room, cancel) : new(shelf.Take(room.Span));

    private async ValueTask<int> AskAndTakeAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        var beat = intake.BeatAsync();
        try
        {
            await beat.WaitAsync(cancel).ConfigureAwait(false);
        }
        catch (Exception)
        {
            _ = beat.HearAsync();

            // Either it has ended the intake, or the wait was called off.
            intake.ThrowIfOver();
            return 0;
        }

        return shelf.Take(room.Span);
    }

    // What was sent to us before the server heard of it is handed over; only if there is nothing has nothing been taken.
    private async ValueTask<int> CallOffAsync(Memory<Delivery> room, CancellationToken cancel)
    {
        await taps.ShutAsync(leaving: 1).WaitAsync(s_timeToShut, intake.Time, CancellationToken.None).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return shelf.Take(room.Span) is > 0 and var taken ? taken : throw new OperationCanceledException(cancel);
    }
}
