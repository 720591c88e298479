namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How long the answers are waited for without which nothing is renewed on a new connection. One may be lost, and a lock may last no longer than a request
/// may take: so not for as long at first. But the broker may be slow: so for longer after each that did not come. Any thread.
/// </summary>
internal sealed class Patience(TimeSpan most)
{
    private static readonly TimeSpan s_first = TimeSpan.FromSeconds(10);

    private TimeSpan _next = s_first;

    /// <param name="ask">Asks, and waits for so long.</param>
    /// <exception cref="BrokerException">No answer came.</exception>
    public async ValueTask<T> AskAsync<T>(Func<TimeSpan, ValueTask<T>> ask)
    {
        var patience = _next < most ? _next : most;
        try
        {
            var answer = await ask(patience).ConfigureAwait(false);
            _next = s_first;
            return answer;
        }
        catch (BrokerException)
        {
            _next = patience * 2;
            throw;
        }
    }
}
