namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// Waits for what the server was asked, but not for ever. A question can't be taken back: what is given up stays on its way, and how it ends is nobody's concern.
/// Any thread.
/// </summary>
internal static class Answers
{
    /// <exception cref="UnansweredException">There was none in time.</exception>
    public static async Task WithinAsync(this Task asked, TimeSpan patience, TimeProvider time, CancellationToken cancel)
    {
        try
        {
            await asked.WaitAsync(patience, time, cancel).ConfigureAwait(false);
        }
        catch (TimeoutException) when (!asked.IsFaulted)
        {
            throw new UnansweredException(patience);
        }
        finally
        {
            // What nobody waits for any more may still fail, and would be told to the process as a failure that nobody has looked at.
            if (!asked.IsCompletedSuccessfully)
                _ = asked.HearAsync();
        }
    }

    /// <exception cref="UnansweredException">There was none in time.</exception>
    public static async Task<T> WithinAsync<T>(this Task<T> asked, TimeSpan patience, TimeProvider time, CancellationToken cancel)
    {
        await WithinAsync((Task)asked, patience, time, cancel).ConfigureAwait(false);
        return await asked.ConfigureAwait(false);
    }

    /// <summary>However it ends, somebody has looked.</summary>
    public static async Task HearAsync(this Task asked) => await asked.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
}
