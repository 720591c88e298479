namespace Holdfast.Bench;

/// <summary>Viewers of a worker's page who do nothing but read all that it sends.</summary>
internal sealed class Viewers : IAsyncDisposable
{
    private static readonly HttpClient s_client = new() { Timeout = Timeout.InfiniteTimeSpan };

    private readonly CancellationTokenSource _stop = new();
    private readonly Task<long>[] _read;

    private Viewers(Stream[] streams) => _read = [.. streams.Select(ReadAsync)];

    /// <summary>Comes back once each of them has its stream.</summary>
    public static async Task<Viewers> ComeAsync(Uri address, int count) =>
        new(await Task.WhenAll(Enumerable.Range(0, count).Select(_ => s_client.GetStreamAsync(new Uri(address, "status/events")))));

    /// <summary>Lets them go; tells how many bytes each was sent, on average.</summary>
    public async Task<double> GoAsync()
    {
        await _stop.CancelAsync();
        var bytes = await Task.WhenAll(_read);
        return bytes.Length == 0 ? 0 : bytes.Average();
    }

    public async ValueTask DisposeAsync()
    {
        await GoAsync();
        _stop.Dispose();
    }

    private async Task<long> ReadAsync(Stream stream)
    {
        var (buffer, bytes) = (new byte[1 << 16], 0L);
        try
        {
            while (await stream.ReadAsync(buffer, _stop.Token) is > 0 and var count)
                bytes += count;
        }
        catch (OperationCanceledException)
        {
            // They go when they are told to, in the middle of a frame.
        }

        await stream.DisposeAsync();
        return bytes;
    }
}
