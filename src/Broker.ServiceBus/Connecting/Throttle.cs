using System.Globalization;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>How long the broker asks to be left in peace, where it says that it is busy. Renewing and settling never wait for it. Any thread.</summary>
internal sealed class Throttle(TimeProvider time) : IAsyncDisposable
{
    private static readonly TimeSpan s_default = TimeSpan.FromSeconds(10);
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(1);

    // Never disposed of itself: who comes to wait just then is to find that it was cancelled.
    private readonly CancellationTokenSource _closing = new();
    private long _until;

    /// <summary>How long still.</summary>
    public TimeSpan Left
    {
        get
        {
            var left = new TimeSpan(Volatile.Read(ref _until)) - Now;
            return left > TimeSpan.Zero ? left : TimeSpan.Zero;
        }
    }

    private TimeSpan Now => time.GetElapsedTime(0, time.GetTimestamp());

    /// <summary>Notes a failure, if it is of this kind.</summary>
    public void Note(Exception failure)
    {
        TimeSpan? asked = failure switch
        {
            AmqpException { Condition.Value: Conditions.ServerBusy } busy => Asked(busy.Description),
            BrokerException told => told.RetryAfter,
            _ => null,
        };
        if (asked is { } pause)
            Volatile.Write(ref _until, (Now + pause).Ticks);
    }

    /// <exception cref="OperationCanceledException">It was called off, or nobody receives any more.</exception>
    public ValueTask WaitAsync(CancellationToken cancel) => Left is { Ticks: > 0 } left ? WaitAsync(left, cancel) : ValueTask.CompletedTask;

    /// <summary>Ends all waits.</summary>
    public ValueTask DisposeAsync() => new(_closing.CancelAsync());

    /// <summary>What a text such as "Please wait 10 seconds and try again" asks for.</summary>
    public static TimeSpan Asked(string? description)
    {
        var words = (description ?? "").Split(' ', StringSplitOptions.RemoveEmptyEntries);
        for (var i = 1; i < words.Length; i++)
        {
            if (words[i].StartsWith("second", StringComparison.OrdinalIgnoreCase)
                && double.TryParse(words[i - 1], NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out var seconds))
            {
                return seconds < s_longest.TotalSeconds ? TimeSpan.FromSeconds(seconds) : s_longest;
            }
        }

        return s_default;
    }

    private async ValueTask WaitAsync(TimeSpan left, CancellationToken cancel)
    {
        using var either = CancellationTokenSource.CreateLinkedTokenSource(_closing.Token, cancel);
        try
        {
            await Task.Delay(left, time, either.Token).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            cancel.ThrowIfCancellationRequested();
            throw new OperationCanceledException("The receiver was closed.");
        }
    }
}
