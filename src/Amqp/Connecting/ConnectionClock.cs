namespace Holdfast.Amqp;

/// <summary>What the writer thread should see to, and when it must look again. Behind the gate.</summary>
internal sealed class ConnectionClock(AmqpConnectionOptions options)
{
    private readonly long _startedAt = options.Time.GetTimestamp();
    private long _closedAt;

    public IdleWatch Idle { get; } = new(options.Time, options.IdleTimeout, options.AnswerTimeout);

    /// <summary>We have sent a close frame.</summary>
    public void NoteClosed() => _closedAt = options.Time.GetTimestamp();

    /// <param name="stage">How far the connection has come.</param>
    /// <param name="inVain">Whether somebody waits for the peer, and nothing is there.</param>
    public Overdue Look(ConnectionStage stage, bool inVain) => stage switch
    {
        ConnectionStage.Open when Idle.IsPeerGone(inVain) => Overdue.Silence,
        ConnectionStage.Open when Idle.IsQuestionDue => Overdue.Question,
        ConnectionStage.Open when Idle.IsBeatDue => Overdue.Beat,
        ConnectionStage.Opening or ConnectionStage.Closing when UntilDue(stage) <= TimeSpan.Zero => Overdue.TimeIsUp,
        _ => Overdue.Nothing,
    };

    public TimeSpan UntilDue(ConnectionStage stage) => stage switch
    {
        ConnectionStage.Opening => options.OpenTimeout - options.Time.GetElapsedTime(_startedAt),
        ConnectionStage.Open => Idle.UntilDue,
        ConnectionStage.Closing => options.CloseTimeout - options.Time.GetElapsedTime(_closedAt),
        _ => TimeSpan.MaxValue,
    };
}
