using Holdfast.Broker;
using Polly;
using Polly.Retry;

namespace Holdfast.Consumer;

/// <summary>Runs a handler, and again at once after a failure, while the lease and the slots allow. On the message's strand throughout.</summary>
internal sealed class Attempts
{
    private static readonly ResiliencePropertyKey<HeldMessage> s_message = new("message");
    private static readonly ResiliencePropertyKey<Exception> s_failure = new("failure");
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

    public ValueTask<Settlement> RunAsync(HeldMessage message, CancellationToken cancel) =>
        _retries is null ? AttemptAsync(message, cancel) : RunAsync(_retries, message, cancel);

    private async ValueTask<Settlement> RunAsync(ResiliencePipeline<Settlement> retries, HeldMessage message, CancellationToken cancel)
    {
        // What an attempt that never awaited has put into its context is nothing for the next one.
        var context = ExecutionContext.Capture();

        // Most messages succeed at once. Polly would cost them several microseconds, so it is asked only after a failure.
        Exception failure;
        try
        {
            return await AttemptAsync(message, cancel);
        }
        catch (Exception error)
        {
            failure = error;
        }

        if (context is not null)
            ExecutionContext.Restore(context);
        return await RetryAsync(retries, message, failure, cancel);
    }

    private async ValueTask<Settlement> RetryAsync(ResiliencePipeline<Settlement> retries, HeldMessage message, Exception failure, CancellationToken cancel)
    {
        var context = ContextFor(message, cancel);
        context.Properties.Set(s_failure, failure);
        try
        {
            var outcome = await retries.ExecuteOutcomeAsync(static (context, self) => self.AttemptAgainAsync(context), context, this);
            outcome.ThrowIfException();
            return outcome.Result;
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
            return Outcome.FromException<Settlement>(context.Properties.GetValue(s_failure, null!));
        try
        {
            return Outcome.FromResult(await AttemptAsync(message, context.CancellationToken));
        }
        catch (Exception error)
        {
            // One that threw before it awaited has told nobody that it has ended, and Polly waits for it, and we for Polly.
            message.End();
            context.Properties.Set(s_failure, error);
            return Outcome.FromException<Settlement>(error);
        }
    }

    private ValueTask<Settlement> AttemptAsync(HeldMessage message, CancellationToken cancel) =>
        _options.AttemptTimeout is { } longest ? AttemptInTimeAsync(longest, message, cancel) : CallAsync(message, cancel);

    private ValueTask<Settlement> CallAsync(HeldMessage message, CancellationToken cancel) => message.UntilEnd(_handle(message, cancel));

    // Work that is done is done, however late. But what is thrown once the time is up may be the cancellation in any guise: clients have exceptions of their own for it.
    private async ValueTask<Settlement> AttemptInTimeAsync(TimeSpan longest, HeldMessage message, CancellationToken cancel)
    {
        using var limit = new AttemptLimit(longest, _time, cancel);
        try
        {
            return await CallAsync(message, limit.Token);
        }
        catch (Exception late) when (limit.IsOver && !cancel.IsCancellationRequested)
        {
            var end = late is OperationCanceledException ? "." : $", and ended with {ErrorText.WithType(late)}";
            throw new TimeoutException($"The attempt took longer than {longest} (Retry__AttemptTimeout){end}", late);
        }
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
