using Holdfast.Broker;
using Polly;
using Polly.Retry;

namespace Holdfast.Consumer;

/// <summary>Runs a handler, and again at once after a failure, while the lease allows. On the message's strand throughout.</summary>
internal sealed class Attempts
{
    private static readonly ResiliencePropertyKey<HeldMessage> s_message = new("message");

    private readonly Func<HeldMessage, CancellationToken, ValueTask<Settlement>> _handle;
    private readonly RetryOptions _options;
    private readonly ResiliencePipeline<Settlement>? _pipeline;

    public Attempts(Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, RetryOptions options, TimeProvider time, Func<double> random)
    {
        _handle = handle;
        _options = options;
        if (options.Immediate > 0)
            _pipeline = new ResiliencePipelineBuilder<Settlement> { TimeProvider = time }.AddRetry(Strategy(random)).Build();
    }

    public ValueTask<Settlement> RunAsync(HeldMessage message, CancellationToken cancel) =>
        _pipeline is null ? _handle(message, cancel) : RunAsync(_pipeline, message, cancel);

    private async ValueTask<Settlement> RunAsync(ResiliencePipeline<Settlement> pipeline, HeldMessage message, CancellationToken cancel)
    {
        // Without the captured context Polly would go on after its first delay on the pool, off the lane.
        var context = ResilienceContextPool.Shared.Get(continueOnCapturedContext: true, cancel);
        context.Properties.Set(s_message, message);
        try
        {
            return await pipeline.ExecuteAsync(static (context, self) => self.AttemptAsync(context), context, this);
        }
        finally
        {
            ResilienceContextPool.Shared.Return(context);
        }
    }

    private ValueTask<Settlement> AttemptAsync(ResilienceContext context) =>
        _handle(context.Properties.GetValue(s_message, null!), context.CancellationToken);

    private RetryStrategyOptions<Settlement> Strategy(Func<double> random) => new()
    {
        MaxRetryAttempts = _options.Immediate,
        Delay = _options.ImmediateDelay,
        BackoffType = DelayBackoffType.Exponential,
        UseJitter = true,
        Randomizer = random,
        ShouldHandle = MayTryAgain,
        OnRetry = static retry =>
        {
            retry.Context.Properties.GetValue(s_message, null!).Retry();
            return default;
        },
    };

    private ValueTask<bool> MayTryAgain(RetryPredicateArguments<Settlement> failed)
    {
        var longestDelay = _options.ImmediateDelay * (1 << (failed.AttemptNumber + 1));
        return new(
            failed.Outcome.Exception is not (null or System.Text.Json.JsonException)
            && !failed.Context.CancellationToken.IsCancellationRequested
            && failed.Context.Properties.GetValue(s_message, null!).LeaseRemaining > longestDelay);
    }
}
