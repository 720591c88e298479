namespace Holdfast.Amqp;

/// <summary>The writer's looks at the clock, and what is done about what they find, up to the verdict that ends the connection. Behind the gate.</summary>
internal sealed class Lookout(AmqpConnection connection, AmqpConnectionOptions options, ConnectionClock clock, Departures departures, Channels channels, Handshake handshake)
{
    /// <summary>Why the peer was given up; null where it was not.</summary>
    public AmqpException? Verdict { get; private set; }

    /// <summary>Whether the last word has been said, and nothing is waited for.</summary>
    public bool HangsUpOnceSent { get; private set; }

    /// <summary>Looks; how long the writer may sleep then.</summary>
    public TimeSpan Look()
    {
        departures.NoteLook();
        if (Verdict is null)
            See(clock.Look(connection.Stage, inVain: clock.Idle.IsPeerQuiet && (departures.Wire?.IsWaitingInVain ?? true)));
        return Verdict is null ? clock.UntilDue(connection.Stage) : TimeSpan.MaxValue;
    }

    private void See(Overdue overdue)
    {
        switch (overdue)
        {
            case Overdue.Beat when departures.Outgoing.IsEmpty:
                departures.Outgoing.Beat();
                break;
            case Overdue.Question when channels.FirstActive is { } session:
                clock.Idle.NoteQuestion();
                session.WriteFlow(echo: true);
                break;
            case Overdue.Question:
                clock.Idle.PutOffQuestion();
                break;
            case Overdue.Silence:
                Verdict = new AmqpException(AmqpLevel.Connection, ErrorConditions.ResourceLimitExceeded, $"{options.Address} has been silent for {clock.Idle.Patience.TotalSeconds:0.#} s{(clock.Idle.IsAsked ? ", though it was asked for a sign of life" : "")}.");
                connection.Write(new Close(Verdict.ToError()));
                HangsUpOnceSent = true;
                break;
            case Overdue.TimeIsUp:
                Verdict = connection.Failure ?? Lateness.Of(handshake.AwaitsStream ? departures.Wire?.Stage : null, handshake.Awaits, options);

                // Not by the reader, who may be waiting for the name's resolution, which nothing wakes it from.
                connection.Fail(Verdict, tells: false);
                departures.Wire?.HangUp();
                break;
        }
    }
}
