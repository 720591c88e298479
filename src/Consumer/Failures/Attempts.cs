using Holdfast.Broker;
using Polly;
using Polly.Retry;

namespace Holdfast.Consumer;

/// <summary>Runs a handler, and again at once after a failure, while the lease and the slots allow. On the message's strand throughout.</summary>
internal sealed class Attempts
{
    private static readonly ResiliencePropertyKey<HeldMessage> s_message = new("message");
    private static readonly ResiliencePropertyKey<Outcome<Settlement>> s_failure = new("failure");
    private static readonly ResiliencePropertyKey<bool> s_isTold = new("told");

    private readonly Handle _handle;
    private readonly RetryOptions _options;
    private readonly Admission _admission;
    private readonly TimeProvider _time;
    private readonly ResiliencePipeline<Settlement>? _retries;

    public Attempts(Handle handle, RetryOptions options, Admission admission, TimeProvider time, Func<double> random)
    {
        (_handle, _options, _admission, _time) = (handle, options, admission, time);
        var most = options.MostImmediate;
        if (most > 0)
            _retries = new ResiliencePipelineBuilder<Settlement> { TimeProvider = time }.AddRetry(Retries(most, random)).Build();
    }

    /// <summary>How the last attempt ended. What a handler throws is not thrown on: at each step of the way .NET would unwind the stack once more.</summary>
    public ValueTask<Outcome<Settlement>> RunAsync(HeldMessage message, CancellationToken cancel) => AttemptAsync(message, isFirst: true, cancel);

    private async ValueTask<Outcome<Settlement>> AttemptAsync(HeldMessage message, bool isFirst, CancellationToken cancel)
    {
        // What an attempt that never awaited has put into its context is nothing for the next one.
        var context = ExecutionContext.Capture();
        Outcome<Settlement> failed;
        using (var limit = _options.AttemptTimeout is { } longest ? new AttemptLimit(longest, _time, cancel) : null)
        {
            try
            {
                return Outcome.FromResult(await message.UntilEnd(_handle(message, limit?.Token ?? cancel)));
            }
            catch (Exception failure)
            {
                // Work that is done is done, however late. But what is thrown once the time is up may be the cancellation in any guise: clients have exceptions of their own for it.
                failed = Outcome.FromException<Settlement>(limit is { IsOver: true } && !cancel.IsCancellationRequested ? TooLate(failure) : failure);

                // One that threw before it awaited has told nobody that it has ended, and Polly waits for it, and we for Polly.
                message.End();
            }
        }

        // Most messages succeed at once. Polly would cost them several microseconds, so it is asked only after a failure.
        if (!isFirst || _retries is null || cancel.IsCancellationRequested)
            return failed;
        if (context is not null)
            ExecutionContext.Restore(context);
        return await RetryAsync(_retries, message, failed, cancel);
    }

    private async ValueTask<Outcome<Settlement>> RetryAsync(ResiliencePipeline<Settlement> retries, HeldMessage message, Outcome<Settlement> failure, CancellationToken cancel)
    {
        var context = ContextFor(message, cancel);
        context.Properties.Set(s_failure, failure);
        try
        {
            return await retries.ExecuteOutcomeAsync(static (context, self) => self.AttemptAgainAsync(context), context, this);
        }
        finally
        {
            _admission.Wake(message);
            ResilienceContextPool.Shared.Return(context);
        }
    }

    private async ValueTask<Outcome<Settlement>> AttemptAgainAsync(ResilienceContext context)
    {
        var message = MessageOf(context);
        _admission.Wake(message);

        // What was tried before Polly was asked is its first attempt. And after a standstill that was longer than the lease,
        // a retry may come before the loss is found: it is not begun, and the failure stays what it was.
        var isFirst = !context.Properties.GetValue(s_isTold, false);
        context.Properties.Set(s_isTold, true);
        if (isFirst || message.LeaseRemaining == TimeSpan.Zero)
            return context.Properties.GetValue(s_failure, default);

        var outcome = await AttemptAsync(message, isFirst: false, context.CancellationToken);
        context.Properties.Set(s_failure, outcome);
        return outcome;
    }

    private TimeoutException TooLate(Exception late)
    {
        var end = late is OperationCanceledException ? "." : $", and ended with {ErrorText.WithType(late)}";
        return new($"The attempt took longer than {_options.AttemptTimeout} (Retry__AttemptTimeout){end}", late);
    }

    private RetryStrategyOptions<Settlement> Retries(int most, Func<double> random) => new()
    {
        MaxRetryAttempts = most,
        ShouldHandle = MayTryAgain,
        DelayGenerator = failed => new(_options.TermsFor(failed.Outcome.Exception!).WaitBefore(failed.AttemptNumber, random())),
        OnRetry = retry =>
        {
            var message = MessageOf(retry.Context);
            message.Retry();
            _admission.Rest(message);
            return default;
        },
    };

    private ValueTask<bool> MayTryAgain(RetryPredicateArguments<Settlement> failed)
    {
        if (failed.Outcome.Exception is not { } error || failed.Context.CancellationToken.IsCancellationRequested)
            return new(false);

        // Whoever may not wait in a slot waits at the broker. Where it can't, because this delivery is its last, it would be put aside for the others' sake.
        var (terms, message) = (_options.TermsFor(error), MessageOf(failed.Context));
        return new(
            failed.AttemptNumber < terms.Attempts - 1
            && message.LeaseRemaining > terms.LongestWaitBefore(failed.AttemptNumber)
            && (_admission.MayRest || terms.IsLast(message.Tries)));
    }

    private static ResilienceContext ContextFor(HeldMessage message, CancellationToken cancel)
    {
        // Without the captured context Polly would go on after its first delay on the pool, off the lane.
        var context = ResilienceContextPool.Shared.Get(continueOnCapturedContext: true, cancel);
        context.Properties.Set(s_message, message);
        return context;
    }

    private static HeldMessage MessageOf(ResilienceContext context) => context.Properties.GetValue(s_message, null!);
}
