using System.Net.Security;

namespace Holdfast.Amqp;

/// <summary>Where the peer is, how it is reached, and what is agreed with it.</summary>
public sealed class AmqpConnectionOptions
{
    public required string Host { get; init; }

    public int Port { get; init; } = 5672;

    /// <summary>Who we are to the peer. It names links together with their own names.</summary>
    public string ContainerId { get; init; } = $"{Guid.NewGuid():N}";

    /// <summary>Null for a connection without TLS. The host's name is filled in where <see cref="SslClientAuthenticationOptions.TargetHost"/> is null.</summary>
    public SslClientAuthenticationOptions? Tls { get; init; }

    /// <summary>Null for AMQP straight on TCP or TLS.</summary>
    public AmqpWebSocket? WebSocket { get; init; }

    /// <summary>In order of preference. None: no SASL layer at all.</summary>
    public IReadOnlyList<SaslMechanism> Sasl { get; init; } = [];

    /// <summary>What goes with the open frame.</summary>
    public AmqpFields? Properties { get; init; }

    /// <summary>What a peer may make us hold; among it the largest frame, which it is told.</summary>
    public AmqpLimits Limits { get; init; } = AmqpLimits.Default;

    /// <summary>How many sessions there may be, less one.</summary>
    public ushort ChannelMax { get; init; } = 1023;

    /// <summary>How long the peer may be silent before the connection is given up; it is told half of that. Zero: for ever.</summary>
    public TimeSpan IdleTimeout { get; init; } = TimeSpan.FromSeconds(60);

    /// <summary>
    /// How long the peer may say nothing at all while somebody waits for its answer (<see cref="AmqpConnection.AwaitAnswer"/>), before the connection is given up:
    /// a path that is cut without a word is found out by that. A peer that is slow is asked for a sign of life in time. Zero: no shorter than the idle time-out.
    /// </summary>
    public TimeSpan AnswerTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>For everything from the name's resolution to the peer's open frame. Of several addresses of the name each but the last has a share of it.</summary>
    public TimeSpan OpenTimeout { get; init; } = TimeSpan.FromSeconds(30);

    /// <summary>How long the peer's answer to a close frame is waited for.</summary>
    public TimeSpan CloseTimeout { get; init; } = TimeSpan.FromSeconds(5);

    /// <summary>
    /// Called once, unless we closed the connection ourselves; after the same was told to its links and sessions.
    /// On the connection's reader thread, which nothing may hold up.
    /// </summary>
    public Action<AmqpException>? OnClosed { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;

    internal string Address => $"{Host}:{Port}";
}
