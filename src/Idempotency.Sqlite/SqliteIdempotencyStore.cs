using Holdfast.Consumer;
using Microsoft.Data.Sqlite;
using Microsoft.Extensions.Logging;

namespace Holdfast.Idempotency.Sqlite;

/// <summary>Keeps the keys of completed messages in an SQLite file. SQLite blocks, so a thread of its own does that, with one commit for all that has gathered meanwhile.</summary>
public sealed partial class SqliteIdempotencyStore : IIdempotencyStore, IAsyncDisposable, IDisposable
{
    private const int MostAtOnce = 1_000;

    // What nobody waits for any more is kept all the same, where the file hangs: up to so many.
    private const int MostWaiting = 10_000;

    // A file that hangs may do so for ever. By then all is settled: what waits for it would only have been remembered.
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(3);

    private readonly object _gate = new();
    private readonly SqliteIdempotencyOptions _options;
    private readonly TaskCompletionSource _ended = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private CompletedTable _table;
    private List<Request> _asked = [];
    private bool _isClosed;

    /// <exception cref="InvalidOptionsException">A setting can't be; or the file can't be opened or written to, or is none of ours.</exception>
    public SqliteIdempotencyStore(SqliteIdempotencyOptions options)
    {
        options.Check();
        _options = options;
        _table = Open(options);
        new Thread(Run) { Name = "holdfast-idempotency", IsBackground = true }.Start();
    }

    public async ValueTask RememberAsync(string queue, string key, CancellationToken cancel) =>
        await Ask(new(queue, key, isQuestion: false)).WaitAsync(cancel).ConfigureAwait(false);

    public async ValueTask<bool> ContainsAsync(string queue, string key, CancellationToken cancel) =>
        await Ask(new(queue, key, isQuestion: true)).WaitAsync(cancel).ConfigureAwait(false);

    /// <summary>Answers what was asked, and closes the file; where that takes too long, it is left to the end of the process.</summary>
    public async ValueTask DisposeAsync()
    {
        Close();
        try
        {
            await _ended.Task.WaitAsync(s_patience, _options.TimeProvider).ConfigureAwait(false);
        }
        catch (TimeoutException)
        {
            LogLeftOpen(_options.Log, _options.Path, s_patience.TotalSeconds);
        }
    }

    /// <summary>The same, for services that end without waiting.</summary>
    public void Dispose() => DisposeAsync().AsTask().Wait();

    private static CompletedTable Open(SqliteIdempotencyOptions options)
    {
        try
        {
            return new(options);
        }
        catch (SqliteException problem)
        {
            throw new InvalidOptionsException([FailureText.Refusal(problem, options.Path)]);
        }
    }

    private void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            Monitor.Pulse(_gate);
        }
    }

    private Task<bool> Ask(Request request)
    {
        lock (_gate)
        {
            ObjectDisposedException.ThrowIf(_isClosed, this);
            if (_asked.Count >= MostWaiting)
                throw new TimeoutException($"The file does not keep up: {MostWaiting:#,0} requests wait for it already.");
            _asked.Add(request);
            Monitor.Pulse(_gate);
        }

        return request.Answer;
    }

    private void Run()
    {
        List<Request> taken = [];
        while (Take(ref taken))
        {
            foreach (var batch in taken.Chunk(MostAtOnce))
                Answer(batch);
            taken.Clear();
        }

        _table.Dispose();
        _ended.SetResult();
    }

    // False at the end. The two lists change places, so that nobody who asks waits for the file.
    private bool Take(ref List<Request> taken)
    {
        lock (_gate)
        {
            while (_asked.Count == 0 && !_isClosed)
                Monitor.Wait(_gate);
            (_asked, taken) = (taken, _asked);
            return taken.Count > 0;
        }
    }

    // A disk that is full can't be written to, and may be read.
    private void Answer(Request[] batch)
    {
        Request[] toKeep = [.. batch.Where(request => !request.IsQuestion)];
        if (toKeep.Length > 0)
            Try(toKeep, _ => true, () => _table.Add(toKeep.Select(request => (request.Queue, request.Key))));
        Try([.. batch.Where(request => request.IsQuestion)], request => _table.Contains(request.Queue, request.Key));
    }

    private void Try(Request[] asked, Func<Request, bool> answer, Action? before = null)
    {
        try
        {
            ReopenIfGone();
            before?.Invoke();
            foreach (var request in asked)
                request.Succeed(answer(request));
        }
        catch (Exception problem)
        {
            var told = FailureText.WithCure(problem, _options.Path);
            foreach (var request in asked)
                request.Fail(told);
        }
    }

    // SQLite goes on with a file that was deleted, and all that is written to it ends with the process: nobody finds it by its name.
    private void ReopenIfGone()
    {
        if (!_table.IsGone)
            return;

        var gone = _table;
        _table = new(_options);
        gone.Dispose();
        LogMadeAnew(_options.Log, _options.Path);
    }

    [LoggerMessage(LogLevel.Warning, "{Path} (Idempotency__Path) was deleted, moved or replaced while it was open, and what it remembers is out of reach. It has been opened anew, and made where it was not there.")]
    private static partial void LogMadeAnew(ILogger log, string path);

    [LoggerMessage(LogLevel.Warning, "{Path} (Idempotency__Path) hangs: it could not be closed within {Seconds} s, and is left to the end of the process. What completed last may not be remembered.")]
    private static partial void LogLeftOpen(ILogger log, string path, double seconds);
}
