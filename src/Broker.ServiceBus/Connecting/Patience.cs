namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// How long the answers are waited for without which nothing is renewed on a new connection. One may be lost, and a lock may last no longer than a request
/// may take: so not for as long at first. But the broker may be slow: so for longer after each that did not come. Any thread.
/// </summary>
internal sealed class Patience(TimeSpan most)
{
    private static readonly TimeSpan s_first = TimeSpan.FromSeconds(10);

    private TimeSpan _next = Least(s_first, most);

    /// <param name="ask">Asks, and waits for so long.</param>
    /// <exception cref="BrokerException">No answer came.</exception>
    public async ValueTask<T> AskAsync<T>(Func<TimeSpan, ValueTask<T>> ask)
    {
        var patience = _next;
        try
        {
            var answer = await ask(patience).ConfigureAwait(false);
            _next = Least(s_first, most);
            return answer;
        }
        catch (BrokerException)
        {
            _next = Least(patience * 2, most);
            throw;
        }
    }

    private static TimeSpan Least(TimeSpan one, TimeSpan other) => one < other ? one : other;
}
