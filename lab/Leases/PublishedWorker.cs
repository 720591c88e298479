using Holdfast.Broker;

namespace Holdfast.Lab.Leases;

/// <summary>
/// The published worker: one loop receives, one loop for each lease refreshes it, one for each message handles it; all are plain async code
/// that competes for a TaskScheduler's threads.
/// </summary>
internal sealed class PublishedWorker(Story story, IMachine machine, TaskScheduler scheduler, IReceiver receiver, Lives lives, HandedRound? order)
{
    public void Start() => Start(ReceiveAsync);

    private async Task ReceiveAsync()
    {
        var room = new Delivery[1];
        for (var taken = 0; taken < story.Messages; taken++)
        {
            await machine.PauseAsync(story.Rest);
            await TurnAsync(Urgency.Receive);
            await receiver.ReceiveAsync(room, CancellationToken.None);

            // What is held ages from now on: to be taken in is as urgent as to be refreshed.
            await TurnAsync(Urgency.Refresh);
            var delivery = room[0];
            Start(() => RefreshAsync(delivery));
            Start(() => ProcessAsync(delivery));
        }
    }

    private async Task RefreshAsync(Delivery delivery)
    {
        var outcome = new Renewal[1];
        while (true)
        {
            await machine.PauseAsync(story.Refresh);
            await TurnAsync(Urgency.Refresh);
            if (lives.HasEnded(delivery.Message.Id))
                return;

            machine.Occupy(story.RefreshCpu);
            await receiver.RenewAsync(new[] { delivery }, outcome, CancellationToken.None);
            if (outcome[0] != Renewal.Renewed)
                return;
        }
    }

    // It settles what it has lost, too: the broker's refusal is how it learns that.
    private async Task ProcessAsync(Delivery delivery)
    {
        await Handling.RunAsync(story, machine, () => TurnAsync(Urgency.Process), () => lives.IsLost(delivery.Message.Id));
        await receiver.SettleAsync(delivery, Settlement.Complete, CancellationToken.None);
    }

    private ValueTask TurnAsync(Urgency urgency)
    {
        lives.SeeThreads(scheduler is FifoScheduler fifo ? fifo.Threads : ThreadPool.ThreadCount);
        return order?.TakeAsync(urgency) ?? ValueTask.CompletedTask;
    }

    private void Start(Func<Task> loop) => _ = Task.Factory.StartNew(() => ReportAsync(loop), CancellationToken.None, TaskCreationOptions.DenyChildAttach, scheduler);

    private async Task ReportAsync(Func<Task> loop)
    {
        try
        {
            await loop();
        }
        catch (Exception problem)
        {
            lives.Fail(problem);
        }
    }
}
