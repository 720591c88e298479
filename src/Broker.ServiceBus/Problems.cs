using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Authentication;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// Says in one line what the broker's refusal, or our client's failure, means to the person on call: what failed, where, and which setting cures it.
/// </summary>
internal sealed class Problems(NamespaceAddress address, ITokenSource tokens)
{
    private const int LongestText = 240;

    // No key is to blame for that, for one that is wrong is refused as wrong.
    private const string TokenIsOver = "See to it that this machine's clock is set by the network: where it is behind, a token that was made just now is over when the broker sees it.";

    private string At => $"Service Bus at {address}";

    // A connection string says more than where; a namespace's setting is that name alone.
    private bool HasEndpoint => tokens.Setting == OptionRules.Connection;

    public BrokerException Of(Exception cause, EntityName? entity = null) => cause switch
    {
        BrokerException told => told.Again(),

        // It is us who ended it, whatever that is called: the broker has said nothing at all, or what nobody can understand.
        AmqpException { Level: AmqpLevel.Connection, IsFromPeer: false } => Connection(cause),

        // The broker has said at the beginning how many there may be, and we have them.
        AmqpException { Level: AmqpLevel.Session, IsFromPeer: false, Condition.Value: Conditions.ResourceLimit } full => new(
            $"{At} has no room on a connection for more links, as {Named(entity)} needs ({Text(full.Description)}). Give a worker fewer queues, or fewer sessions at once (Worker__ServiceBus__MaxSessions).",
            isTransient: true,
            full),
        AmqpException { Condition: not null } refused => Of(Refusal.Of(refused), entity, refused),
        _ => Connection(cause),
    };

    /// <summary>For a connection that did not come to be: what is there may be no Service Bus, or one that wants TLS where we have none.</summary>
    public BrokerException Unopened(AmqpException cause)
    {
        Exception[] all = [.. Chain(cause)];
        if (cause.IsFromPeer || all.Any(problem => IsUnreached(problem) || IsOfCertificate(problem)))
            return Of(cause);

        // Somebody was reached, and TLS done where it is spoken.
        if (all.Any(problem => problem is WebSocketException))
        {
            return new(
                $"No connection to {At} can be opened ({Text(cause.Description)}). If that goes on, check that {tokens.Setting} names the host of a Service Bus, and that no proxy answers in its place: connections are made straight, and no proxy is told of a password.",
                isTransient: true,
                cause);
        }

        // What is wrong with TLS is said by the innermost alone.
        var ofTls = all.Any(problem => problem is AuthenticationException);
        return new(
            $"No connection to {At} can be opened ({Text(ofTls ? all[^1].Message : cause.Description)}). If that goes on, check that {tokens.Setting} names the host and port of a Service Bus, that the network lets that port pass, and that {(HasEndpoint ? "UseDevelopmentEmulator=true stands there for a broker without TLS, and for no other" : "TLS is spoken there")}.",
            isTransient: !ofTls && cause.Condition?.Value != Conditions.Unauthorized,
            cause);
    }

    public BrokerException Of(Refusal refusal, EntityName? entity, Exception? cause = null)
    {
        var (named, said) = (Named(entity), Text(refusal.Description));
        return refusal.Condition switch
        {
            Conditions.NotFound => Lasting($"{At} has no {named} ({said}). Create it, or name another in Worker__Queue, or by a command's --queue or --to."),
            Conditions.Unauthorized or Conditions.AuthFailed => Lasting($"{At} does not let us use {named} ({said}). {(refusal.IsOfExpiry && tokens.EndsAt is null ? TokenIsOver : tokens.Cure)}"),
            Conditions.NotAllowed when refusal.IsOfSessions => Lasting($"{At} does not let us receive from {named} in this way ({said}). Leave Worker__ServiceBus__Sessions out, and each start finds out whether sessions are required; ServiceBusSdk has to be told, by =true or =false."),
            Conditions.NotAllowed when refusal.IsOfUnsetSession => Lasting($"{At} takes no message without a session for {named} ({said}). Set the message's SessionId, with send by --session."),
            Conditions.NotAllowed => Lasting($"{At} does not allow what is asked of {named} ({said})."),
            Conditions.EntityDisabled => Passing($"{At} has {named} disabled ({said}). Enable it for what is asked of it."),
            Conditions.SessionCannotBeLocked => Passing($"{At} can't give us that session of {named} now ({said}). Somebody else holds it; take any that is free by leaving Worker__ServiceBus__SessionId unset."),
            Conditions.ServerBusy => Passing($"{At} is too busy for {named} ({said})."),
            Conditions.MessageTooLarge => Lasting($"{At} takes no message as large as that for {named} ({said})."),
            Conditions.ResourceLimit => Passing($"{At} has no room for what is asked of {named} ({said}). It may be full, or have too many connections or links."),
            Conditions.NotImplemented => Lasting($"{At} can't do what is asked of {named} ({said})."),
            Conditions.Timeout => Passing($"{At} did not do in time what was asked of {named} ({said})."),
            Conditions.MessageLockLost or Conditions.SessionLockLost => Passing($"{At} has ended our lock in {named} ({said})."),
            Conditions.MessageNotFound => Lasting($"{At} has no such message in {named} ({said})."),
            _ => Passing($"{At} broke off what was asked of {named} ({(refusal.Condition is { } condition ? $"{condition}: " : "")}{said})."),
        };

        BrokerException Lasting(string message) => new(message, isTransient: false, cause);

        BrokerException Passing(string message) => new(message, isTransient: true, cause) { RetryAfter = refusal.RetryAfter };
    }

    /// <summary>For what is no answer to what was asked.</summary>
    public BrokerException Nonsense(EntityName? entity, string what) => new(
        $"{At} gave an answer about {Named(entity)} that Service Bus does not give: {what}. Check that {tokens.Setting} names a Service Bus.",
        isTransient: true);

    public BrokerException Silence(EntityName? entity, string asked, TimeSpan waited) => new(
        $"{At} has not answered what was asked of {Named(entity)} ({asked}) for {waited.TotalSeconds:0} s.",
        isTransient: true);

    /// <summary>For a message whose last part has not left.</summary>
    public BrokerException Unsent(EntityName? entity, TimeSpan waited) => new(
        $"{At} has not let the whole of a message for {Named(entity)} pass within {waited.TotalSeconds:0} s, so it was not sent. If that goes on, the path is slow or cut, or the broker takes nothing at present.",
        isTransient: true);

    /// <summary>For a token that ends, in place of which the broker takes no other, or nobody gives one.</summary>
    public string NoNewToken(EntityName entity, DateTimeOffset ends, BrokerException why) =>
        $"The token by which {At} lets us use {Named(entity)} lasts until {ends:u}, and no new one is to be had. What is held when it ends is missed. {why.Message}";

    /// <summary>A text of the other side's, as it fits into a line of ours.</summary>
    public static string Text(string? text)
    {
        var line = (text ?? "").ReplaceLineEndings(" ").Trim('.', ' ');
        return line.Length == 0 ? "no reason given" : line.Length <= LongestText ? line : line[..LongestText] + "...";
    }

    private static string Text(SocketException problem) =>
        NameServers.Silence(problem) ?? (IsSilent(problem) ? "nothing answers there" : Text(problem.Message));

    private static string CureOf(SocketException problem) =>
        NameServers.AreMeant(problem) ? NameServers.Cure
        : IsSilent(problem) ? "what keeps packets from it: a firewall may drop them, or the machine there be gone"
        : "that the network lets its port pass";

    private static bool IsSilent(SocketException problem) => problem.SocketErrorCode == SocketError.TimedOut;

    private static string Named(EntityName? entity) => entity is null ? "the namespace" : $"'{entity}'";

    private BrokerException Connection(Exception cause)
    {
        Exception[] all = [.. Chain(cause)];
        if (all.FirstOrDefault(IsOfCertificate) is { } untrusted)
        {
            return new(
                $"{At} can't be trusted ({Text(untrusted.Message)}). Set Worker__ServiceBus__CaFile to the authority that signed its certificate (for ServiceBusSdk, have the machine trust it), and in {tokens.Setting} a host that the certificate names.",
                isTransient: false,
                cause);
        }

        return all.FirstOrDefault(IsUnreached) is SocketException socket
            ? new($"{At} can't be reached ({Text(socket)}). If that goes on, check {(HasEndpoint ? "the Endpoint in " : "")}{tokens.Setting}, and {CureOf(socket)}.", isTransient: true, cause)
            : new($"The connection to {At} broke ({Text((cause as AmqpException)?.Description ?? cause.Message)}).", isTransient: true, cause);
    }

    // Else somebody was there, and has ended the connection.
    private static bool IsUnreached(Exception problem) =>
        problem is SocketException { SocketErrorCode: not (SocketError.ConnectionReset or SocketError.ConnectionAborted or SocketError.Shutdown) };

    // Else TLS itself has failed, and no certificate was looked at.
    private static bool IsOfCertificate(Exception problem) => problem is AuthenticationException && problem.Message.Contains("certificate", StringComparison.Ordinal);

    private static IEnumerable<Exception> Chain(Exception? problem)
    {
        for (; problem is not null; problem = problem.InnerException)
            yield return problem;
    }
}
