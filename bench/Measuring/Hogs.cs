namespace Holdfast.Bench;

/// <summary>Threads that burn CPU until they are disposed of.</summary>
internal sealed class Hogs : IDisposable
{
    private readonly Thread[] _threads;
    private bool _stop;

    public Hogs(int count)
    {
        _threads = [.. Enumerable.Range(0, count).Select(index => new Thread(Hog) { IsBackground = true, Name = $"hog-{index}" })];
        foreach (var thread in _threads)
            thread.Start();
    }

    public void Dispose()
    {
        Volatile.Write(ref _stop, true);
        foreach (var thread in _threads)
            thread.Join();
    }

    private void Hog()
    {
        while (!Volatile.Read(ref _stop))
            Burn.Work(microseconds: 100);
    }
}
