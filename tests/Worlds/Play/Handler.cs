using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Worlds;

/// <summary>What one life's handlers do: as their messages' plans say. On the Process lane, but for what escapes.</summary>
internal sealed class Handler(World world, VirtualProcess process, int life)
{
    public int Running { get; private set; }

    private VirtualMachine Machine => process.Machine;

    public async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
    {
        if (process.IsDead)
            return Settlement.Abandon;

        var number = EventLog.MessageOf(message.Message);
        var plan = world.Plan.Messages[number];
        var run = new Run(world.Log, process, life, number, message);
        var attempt = world.CountAttempt(number);
        Running++;
        run.Note(EventKind.Begun, message.Attempt);
        using var told = cancel.UnsafeRegister(static run => ((Run)run!).Note(EventKind.CalledOff), run);
        var ending = Ending.Abandon;
        try
        {
            for (var i = 0; i < plan.Notices; i++)
                message.Publish(Links.Notices, run.Notice());
            foreach (var step in plan.Steps)
            {
                if (step.Kind is StepKind.Wait or StepKind.Escape)
                    run.Note(EventKind.Awaits);
                await TakeAsync(step, run, plan.HeedsToken ? cancel : CancellationToken.None);
                if (step.Kind is StepKind.Wait or StepKind.Escape)
                    run.Note(EventKind.GoesOn, TaskScheduler.Current is Strand ? 1 : 0);
                if (plan.HeedsToken)
                    cancel.ThrowIfCancellationRequested();
            }

            ending = attempt <= plan.Failures ? plan.Ending : Ending.Complete;
            return End(ending);
        }
        finally
        {
            Running--;
            run.Note(EventKind.Ended, (long)ending);
        }
    }

    private static Settlement End(Ending ending) => ending switch
    {
        Ending.Complete => Settlement.Complete,
        Ending.Abandon => Settlement.Abandon,
        Ending.Delay => Settlement.Delay(TimeSpan.FromMilliseconds(150)),
        Ending.DeadLetter => Settlement.DeadLetter("odd", "An odd message."),
        Ending.Unreadable => throw new UnreadableMessageException("Not JSON."),
        _ => throw new BadLuck(),
    };

    private Task TakeAsync(Step step, Run run, CancellationToken cancel)
    {
        switch (step.Kind)
        {
            case StepKind.Burn:
                Machine.Burn(step.Time);
                return Task.CompletedTask;
            case StepKind.Block:
                Machine.Sleep(step.Time);
                return Task.CompletedTask;
            case StepKind.Escape:
                return EscapeAsync(step.Time, run);
            default:
                return WaitAsync(step.Time, run, cancel);
        }
    }

    private async Task WaitAsync(TimeSpan time, Run run, CancellationToken cancel)
    {
        using var nap = new Nap(process.Time, time, run, cancel);
        await nap.End;
    }

    // Its thread takes the pool's part, which always has one to spare.
    private Task EscapeAsync(TimeSpan time, Run run)
    {
        var end = new TaskCompletionSource();
        process.Start("escaped", () =>
        {
            Machine.Burn(time);
            run.Note(EventKind.Ready);
            end.SetResult();
        });
        return BackAsync();

        async Task BackAsync() => await end.Task.ConfigureAwait(false);
    }

    /// <summary>What went wrong in it says where; to have .NET write down the way to it, once more for each dead letter, takes longer than all else of the message.</summary>
    private sealed class BadLuck() : InvalidOperationException("No luck.")
    {
        public override string? StackTrace => "   at Handler.End(Ending)";
    }
}
