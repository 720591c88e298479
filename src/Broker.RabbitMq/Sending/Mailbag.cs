using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Broker.RabbitMq;

/// <summary>
/// What a mailbox has on its way by one channel, and the line of those who wait until there is room. It ends with its connection, whatever
/// the client still waits for: then everybody is told, and the next one takes another. Any thread.
/// </summary>
internal sealed class Mailbag
{
    // A server lets a channel have 400, and 200 more whenever it is done with as many; one that has all it may have stops the whole connection.
    private const int MostOnTheirWay = 200;

    // So that who sends to a queue that stays full does not open a channel for each message.
    private static readonly TimeSpan s_leastUse = TimeSpan.FromSeconds(5);

    private readonly Lock _gate = new();
    private readonly LinkedList<Letter> _line = new();
    private readonly HashSet<Letter> _onTheirWay = [];
    private readonly IConnection _connection;
    private readonly TimeProvider _time;
    private IChannel? _channel;
    private Exception? _end;
    private long _openedAt;
    private bool _isRefused;
    private bool _isOver;

    public Mailbag(IConnection connection, TimeProvider time)
    {
        (_connection, _time) = (connection, time);
        _connection.ConnectionShutdownAsync += OnConnectionEndedAsync;
        _ = OpenAsync();
    }

    /// <summary>Whether nothing is on its way by it, and nobody waits.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate)
                return _onTheirWay.Count == 0 && _line.Count == 0;
        }
    }

    /// <summary>Whether it can be sent by it, where that is the connection there is.</summary>
    public bool IsOpenOn(IConnection connection)
    {
        lock (_gate)
            return !_isOver && _connection == connection && _channel is null or { IsOpen: true };
    }

    /// <summary>Publishes in the order of the calls, and returns once the server has it.</summary>
    /// <param name="publish">What is begun when there is room. Nobody calls it off.</param>
    /// <param name="left">Told when it leaves: of what ends, whoever waits for it, once the server has it, or has refused it, or is gone.</param>
    /// <param name="patience">How long the server's word is waited for.</param>
    /// <param name="cancel">Ends the waiting; what has not left by then never will.</param>
    /// <exception cref="UnansweredException">The server has not said in time that it has it.</exception>
    public async Task SendAsync(Func<IChannel, Task> publish, Action<Task>? left, TimeSpan patience, CancellationToken cancel)
    {
        cancel.ThrowIfCancellationRequested();
        var place = new LinkedListNode<Letter>(new Letter(publish, left));
        lock (_gate)
        {
            LeaveRefusedChannel();
            if (_end is null)
                _line.AddLast(place);
            else
                place.Value.Confirmed.SetException(_end);
        }

        Send();
        try
        {
            await place.Value.Confirmed.Task.WithinAsync(patience, _time, cancel).ConfigureAwait(false);
        }
        catch (UnansweredException) when (TryWithdraw(place))
        {
            throw new UnsentException(patience);
        }
        finally
        {
            TryWithdraw(place);
        }
    }

    /// <summary>Nothing more is sent by it: another one has taken its place.</summary>
    public void Retire()
    {
        lock (_gate)
        {
            _isOver = true;
            ForgetIfEmpty();
        }
    }

    private async Task OpenAsync()
    {
        try
        {
            var channel = await _connection.OpenConfirmingAsync().ConfigureAwait(false);
            lock (_gate)
                (_channel, _openedAt) = (channel, _time.GetTimestamp());
            Send();
        }
        catch (Exception problem)
        {
            End(problem);
        }
    }

    // A channel that a quorum queue has told that it is full refuses by itself from then on, and servers of before autumn 2024 (rabbitmq-server, 12206) never
    // tell it that the limit was taken away. Another one hears how it is now. Nothing is overtaken, for nothing is on its way.
    private void LeaveRefusedChannel()
    {
        if (!_isRefused || !IsEmpty || _channel is not { IsOpen: true } refused || _time.GetElapsedTime(_openedAt) < s_leastUse)
            return;
        (_channel, _isRefused) = (null, false);
        _ = refused.LetGoAsync();
        _ = OpenAsync();
    }

    // They are begun under the lock, for what was sent first is to be there first.
    private void Send()
    {
        lock (_gate)
        {
            while (_channel is not null && _onTheirWay.Count < MostOnTheirWay && _line.First is { Value: var letter })
            {
                _line.RemoveFirst();
                _onTheirWay.Add(letter);
                letter.Left?.Invoke(letter.Confirmed.Task);
                _ = FollowAsync(letter, letter.Publish(_channel));
            }
        }
    }

    private async Task FollowAsync(Letter letter, Task publishing)
    {
        // What fails at once may be a long line's every letter: each begins the next, and not within itself.
        await publishing.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing | ConfigureAwaitOptions.ForceYielding);
        lock (_gate)
        {
            _onTheirWay.Remove(letter);
            _isRefused = publishing.Exception?.InnerException is PublishException { IsReturn: false };
            ForgetIfEmpty();
        }

        Send();
        letter.Confirmed.TrySetFromTask(publishing);
    }

    private bool TryWithdraw(LinkedListNode<Letter> place)
    {
        lock (_gate)
        {
            if (place.List is null)
                return false;
            _line.Remove(place);
            ForgetIfEmpty();
            return true;
        }
    }

    private Task OnConnectionEndedAsync(object connection, ShutdownEventArgs reason)
    {
        End(new AlreadyClosedException(reason));
        return Task.CompletedTask;
    }

    private void End(Exception why)
    {
        Letter[] letters;
        lock (_gate)
        {
            (_isOver, _end) = (true, why);
            letters = [.. _onTheirWay, .. _line];
            _onTheirWay.Clear();
            _line.Clear();
            ForgetIfEmpty();
        }

        foreach (var letter in letters)
            letter.Confirmed.TrySetException(why);
    }

    // The connection remembers whom to tell of its end; channels may come and go meanwhile.
    private void ForgetIfEmpty()
    {
        if (_isOver && IsEmpty)
            _connection.ConnectionShutdownAsync -= OnConnectionEndedAsync;
    }

    private sealed class Letter(Func<IChannel, Task> publish, Action<Task>? left)
    {
        public Func<IChannel, Task> Publish { get; } = publish;

        public Action<Task>? Left { get; } = left;

        public TaskCompletionSource Confirmed { get; } = new(TaskCreationOptions.RunContinuationsAsynchronously);
    }
}
