using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>That one entity may be used on one connection, from one token to the next, for as long as anything of it is open there. Any thread; it is renewed by a timer of the pool's.</summary>
internal sealed class Grant : IDisposable
{
    private readonly Lock _gate = new();
    private readonly List<AmqpSession> _sessions = [];
    private readonly Line _line;
    private readonly EntityName _entity;
    private readonly string _audience;
    private readonly ITokenSource _tokens;
    private readonly Problems _problems;
    private readonly ServiceBusBrokerOptions _options;
    private readonly ITimer _renewal;
    private readonly Kept<Token> _token;
    private readonly Patience _patience;
    private DateTimeOffset _expires;
    private BrokerException? _problem;
    private string? _obstacle;
    private int _users;
    private bool _isDropped;

    public Grant(Line line, EntityName entity, string audience, ITokenSource tokens, Problems problems, ServiceBusBrokerOptions options)
    {
        (_line, _entity, _audience, _tokens, _problems, _options) = (line, entity, audience, tokens, problems, options);
        _patience = new Patience(options.OperationTimeout);
        _token = new(_ => ShowAsync(), token => token.Expires <= Now);
        _renewal = options.TimeProvider.CreateTimer(static grant => _ = ((Grant)grant!).RenewAsync(), this, Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
    }

    /// <summary>That its token ends and can't be renewed, where that was tried more than once; null otherwise.</summary>
    public string? Obstacle => Volatile.Read(ref _obstacle);

    private DateTimeOffset Now => _options.TimeProvider.GetUtcNow();

    /// <exception cref="BrokerException">There is no token to be had, or the broker does not take it.</exception>
    public Task HoldsAsync() => _token.OpenAsync();

    /// <summary>Whoever wants to open something by it keeps it until he leaves. False where it has been dropped.</summary>
    public bool TryEnter()
    {
        lock (_gate)
        {
            if (!_isDropped)
                _users++;
            return !_isDropped;
        }
    }

    public void Leave()
    {
        lock (_gate)
            _users--;
    }

    /// <summary>It is renewed for as long as this session lives. By whoever has entered.</summary>
    public void Serve(AmqpSession session)
    {
        lock (_gate)
        {
            _sessions.RemoveAll(static session => session.Failure is not null);
            _sessions.Add(session);
        }
    }

    /// <summary>The broker says that it does not hold: the next who needs it shows a new token. Returns why it could not be renewed, where that was tried.</summary>
    public BrokerException? Forget()
    {
        _token.Forget();
        return Volatile.Read(ref _problem);
    }

    public void Dispose() => _renewal.Dispose();

    private async Task<Token> ShowAsync()
    {
        var token = await _tokens.GetAsync(_audience, CancellationToken.None).ConfigureAwait(false);
        var properties = new ApplicationProperties
        {
            ["operation"] = "put-token",
            ["type"] = token.Kind,
            ["name"] = _audience,
            ["expiration"] = AmqpTimestamp.From(token.Expires),
        };
        var authority = await _line.AuthorityAsync().ConfigureAwait(false);
        var answer = await _patience.AskAsync(patience => authority.AskAsync("put-token", properties, token.Value, patience, onLeft: null, CancellationToken.None)).ConfigureAwait(false);
        if (!answer.IsSuccess)
            throw _problems.Of(answer.Refusal, _entity);
        (_expires, _problem, _obstacle) = (token.Expires, null, null);
        if (_tokens.EndsAt is null)
            RenewIn(TokenTerms.RenewIn(Now, token.Expires));
        return token;
    }

    // While the old token lasts, a failure harms nobody: it is tried again. That it goes on is told before the broker ends the links for it.
    private async Task RenewAsync()
    {
        if (TryDrop())
            return;
        try
        {
            _token.Keep(await ShowAsync().ConfigureAwait(false));
        }
        catch (Exception problem)
        {
            var why = _problems.Of(problem, _entity);
            if (_problem is not null)
                _obstacle ??= _problems.NoNewToken(_entity, _expires, why);
            _problem = why;
            RenewIn(TokenTerms.RetryIn(Now, _expires));
        }
    }

    private void RenewIn(TimeSpan time)
    {
        lock (_gate)
        {
            if (!_isDropped && !_line.IsOver)
                _renewal.Change(time, Timeout.InfiniteTimeSpan);
        }
    }

    /// <summary>Gives it up where nothing lives by it, and nobody is about to open anything.</summary>
    public bool TryDrop()
    {
        lock (_gate)
        {
            if (_users > 0 || !_sessions.TrueForAll(static session => session.Failure is not null))
                return false;
            _isDropped = true;
            _renewal.Change(Timeout.InfiniteTimeSpan, Timeout.InfiniteTimeSpan);
        }

        _line.Drop(_entity, this);
        return true;
    }
}
