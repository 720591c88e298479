using Holdfast.Broker;
using Polly;
using Polly.Retry;
using Polly.Timeout;

namespace Holdfast.Consumer;

/// <summary>Runs a handler, and again at once after a failure, while the lease and the slots allow. On the message's strand throughout.</summary>
internal sealed class Attempts
{
    private static readonly ResiliencePropertyKey<HeldMessage> s_message = new("message");

    private readonly Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _handle;
    private readonly RetryOptions _options;
    private readonly Admission _admission;
    private readonly ResiliencePipeline<Settlement> _retries = ResiliencePipeline<Settlement>.Empty;
    private readonly ResiliencePipeline<Settlement>? _timeout;
    private readonly bool _isSingle;

    public Attempts(
        Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle,
        RetryOptions options,
        Admission admission,
        TimeProvider time,
        Func<double> random)
    {
        (_handle, _options, _admission) = (handle, options, admission);
        var most = options.MostImmediate;
        if (most > 0)
            _retries = new ResiliencePipelineBuilder<Settlement> { TimeProvider = time }.AddRetry(Retries(most, random)).Build();
        if (options.AttemptTimeout is { } longest)
            _timeout = new ResiliencePipelineBuilder<Settlement> { TimeProvider = time }.AddTimeout(longest).Build();
        _isSingle = most == 0 && _timeout is null;
    }

    public ValueTask<Settlement> RunAsync(HeldMessage message, CancellationToken cancel) =>
        _isSingle ? _handle(message, cancel) : RetryAsync(message, cancel);

    private async ValueTask<Settlement> RetryAsync(HeldMessage message, CancellationToken cancel)
    {
        // Without the captured context Polly would go on after its first delay on the pool, off the lane.
        var context = ResilienceContextPool.Shared.Get(continueOnCapturedContext: true, cancel);
        context.Properties.Set(s_message, message);
        try
        {
            return await _retries.ExecuteAsync(static (context, self) => self.AttemptAsync(context), context, this);
        }
        finally
        {
            _admission.Wake(message);
            ResilienceContextPool.Shared.Return(context);
        }
    }

    private ValueTask<Settlement> AttemptAsync(ResilienceContext context)
    {
        _admission.Wake(MessageOf(context));
        return _timeout is null ? CallAsync(context) : CallInTimeAsync(_timeout, context);
    }

    private async ValueTask<Settlement> CallInTimeAsync(ResiliencePipeline<Settlement> timeout, ResilienceContext context)
    {
        try
        {
            return await timeout.ExecuteAsync(static (context, self) => self.CallAsync(context), context, this);
        }
        catch (TimeoutRejectedException late) when (late.Timeout == _options.AttemptTimeout)
        {
            throw new TimeoutException($"The attempt took longer than {late.Timeout} (Retry__AttemptTimeout).", late);
        }
    }

    private ValueTask<Settlement> CallAsync(ResilienceContext context) => _handle(MessageOf(context), context.CancellationToken);

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

        var terms = _options.TermsFor(error);
        return new(
            failed.AttemptNumber < terms.Attempts - 1
            && MessageOf(failed.Context).LeaseRemaining > terms.LongestWaitBefore(failed.AttemptNumber)
            && _admission.MayRest);
    }

    private static HeldMessage MessageOf(ResilienceContext context) => context.Properties.GetValue(s_message, null!);
}
