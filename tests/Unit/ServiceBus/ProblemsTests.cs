using System.Net.Sockets;
using System.Net.WebSockets;
using System.Security.Authentication;
using Azure.Core;
using Holdfast.Amqp;
using Holdfast.Broker;
using Holdfast.Broker.ServiceBus;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class ProblemsTests
{
    private static readonly EntityName s_orders = EntityName.Parse("orders");
    private readonly Problems _problems = new(NamespaceAddress.OfHost("one.servicebus.windows.net"), new KeyTokens(new SharedAccessKey("me", "secret"), TimeProvider.System));

    [Theory]
    [InlineData("amqp:not-found", false, "Worker__Queue, or by a command's --queue or --to.")]
    [InlineData("amqp:unauthorized-access", false, "SharedAccessKeyName ('me')")]
    [InlineData("com.microsoft:auth-failed", false, "ConnectionStrings__ServiceBus")]
    [InlineData("amqp:not-allowed", false, "does not allow")]
    [InlineData("com.microsoft:entity-disabled", true, "disabled")]
    [InlineData("com.microsoft:session-cannot-be-locked", true, "Worker__ServiceBus__SessionId")]
    [InlineData("com.microsoft:server-busy", true, "busy")]
    [InlineData("amqp:link:message-size-exceeded", false, "no message as large")]
    [InlineData("amqp:resource-limit-exceeded", true, "no room")]
    [InlineData("amqp:not-implemented", false, "can't do")]
    [InlineData("com.microsoft:timeout", true, "in time")]
    [InlineData("com.microsoft:message-lock-lost", true, "lock")]
    [InlineData("com.microsoft:message-not-found", false, "no such message")]
    [InlineData("amqp:link:detach-forced", true, "amqp:link:detach-forced")]
    [InlineData("amqp:internal-error", true, "broke off")]
    public void Each_refusal_is_one_line_that_names_the_cure_and_never_the_key(string condition, bool isTransient, string words)
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Link, condition, "Something\nhappened."), s_orders);

        Assert.Equal(isTransient, problem.IsTransient);
        Assert.Contains(words, problem.Message, StringComparison.Ordinal);
        Assert.Contains("Service Bus at one.servicebus.windows.net", problem.Message, StringComparison.Ordinal);
        Assert.Contains("'orders'", problem.Message, StringComparison.Ordinal);
        Assert.Contains("Something happened", problem.Message, StringComparison.Ordinal);
        Assert.DoesNotContain('\n', problem.Message);
        Assert.DoesNotContain("secret", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("The request was terminated because the namespace is being throttled. Please wait 2 seconds and try again.", 2)]
    [InlineData("wait 1.5 seconds", 1.5)]
    [InlineData("wait 3600 seconds", 60)]
    [InlineData("Please wait some seconds", 10)]
    [InlineData("", 10)]
    [InlineData(null, 10)]
    public void A_busy_broker_is_left_in_peace_for_as_long_as_it_asks(string? text, double seconds)
    {
        var busy = _problems.Of(new AmqpException(AmqpLevel.Link, "com.microsoft:server-busy", text), s_orders);

        Assert.Equal(TimeSpan.FromSeconds(seconds), busy.RetryAfter);
        Assert.Equal(busy.RetryAfter, _problems.Of(busy.ForNow()).RetryAfter);
        Assert.Null(_problems.Of(new AmqpException(AmqpLevel.Link, ErrorConditions.InternalError, text), s_orders).RetryAfter);
    }

    [Fact]
    public void A_connection_that_is_full_of_our_own_links_asks_for_fewer()
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Session, "amqp:resource-limit-exceeded", "The connection has no room for more than 6 sessions."), s_orders);

        Assert.True(problem.IsTransient);
        Assert.Contains("no room on a connection for more links, as 'orders' needs (The connection has no room for more than 6 sessions)", problem.Message, StringComparison.Ordinal);
        Assert.Contains("Worker__ServiceBus__MaxSessions", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_token_that_is_over_as_soon_as_it_is_signed_asks_for_the_right_time_and_not_for_another_key()
    {
        var problem = _problems.Of(new Refusal("amqp:unauthorized-access", "ExpiredToken: The token is expired."), s_orders);

        Assert.Contains("this machine's clock", problem.Message, StringComparison.Ordinal);
        Assert.DoesNotContain("SharedAccessKey", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_signature_of_somebody_else_s_that_is_over_asks_for_another()
    {
        var signed = new SignedToken(new Token(Token.SharedAccess, "secret", DateTimeOffset.UnixEpoch), TimeProvider.System);
        var problem = new Problems(NamespaceAddress.OfHost("one.servicebus.windows.net"), signed).Of(new Refusal("amqp:unauthorized-access", "ExpiredToken: The token is expired."), s_orders);

        Assert.Contains("Set a SharedAccessSignature", problem.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Sessions_that_are_required_name_their_settings() =>
        Assert.Contains("Leave Worker__ServiceBus__Sessions out, and each start finds out", _problems.Of(new Refusal("amqp:not-allowed", "It is not possible for an entity that requires sessions to create a non-sessionful message receiver."), s_orders).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("Batching brokered messages with distinct SessionId or PartitionKey is not supported for an entity with partitioning enabled.")]
    [InlineData("The SessionId was not set on a message, and it cannot be sent to the entity.")]
    [InlineData("That is not allowed. SystemTracker:acme-sessions:Queue:user-sessions.")]
    public void What_is_said_of_other_things_is_no_word_on_how_it_is_received(string said) =>
        Assert.DoesNotContain("Worker__ServiceBus__Sessions", _problems.Of(new Refusal("amqp:not-allowed", said), s_orders).Message, StringComparison.Ordinal);

    [Theory]
    [InlineData("Batching lock tokens for different partitions is not supported for an entity with partitioning enabled.", true)]
    [InlineData("The service is busy. SystemTracker:name:Queue:partitioned-orders.", false)]
    [InlineData(null, false)]
    public void Only_a_refusal_to_do_things_together_is_one_of_partitions(string? description, bool isOne) =>
        Assert.Equal(isOne, new Refusal("amqp:not-allowed", description).IsOfPartitions);

    [Theory]
    [InlineData(401, false)]
    [InlineData(404, false)]
    [InlineData(408, true)]
    [InlineData(500, true)]
    [InlineData(503, true)]
    public void An_answer_without_a_condition_is_understood_by_its_status(int status, bool isTransient) =>
        Assert.Equal(isTransient, _problems.Of(Refusal.Of(status, null, null), s_orders).IsTransient);

    [Theory]
    [InlineData("com.microsoft:server-busy", true)]
    [InlineData("amqp:resource-limit-exceeded", true)]
    [InlineData("com.microsoft:entity-disabled", true)]
    [InlineData("amqp:link:message-size-exceeded", false)]
    [InlineData("amqp:not-allowed", false)]
    [InlineData("amqp:decode-error", false)]
    [InlineData("com.microsoft:argument-error", false)]
    [InlineData(null, false)]
    public void Whether_one_message_may_be_to_blame_for_the_refusal_of_many_is_known(string? condition, bool isOfEntity) => Assert.Equal(isOfEntity, Conditions.IsOfEntity(condition));

    [Fact]
    public void Gone_is_a_lost_lock() => Assert.True(Refusal.Of(410, null, null).IsLost);

    [Fact]
    public void A_server_that_can_not_be_reached_may_be_there_later()
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Connection, null, "x", new SocketException((int)SocketError.ConnectionRefused)));

        Assert.True(problem.IsTransient);
        Assert.Contains("can't be reached", problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(SocketError.TryAgain, "can't be reached (no name server answers).", "and the name servers that this machine asks.")]
    [InlineData(SocketError.HostNotFound, "can't be reached (", "and the name servers that this machine asks.")]
    [InlineData(SocketError.TimedOut, "can't be reached (nothing answers there).", "a firewall may drop them")]
    [InlineData(SocketError.ConnectionRefused, "can't be reached (", "that the network lets its port pass.")]
    public void Why_nobody_is_reached_says_where_to_look(SocketError error, string what, string cure)
    {
        var problem = _problems.Unopened(new AmqpException(AmqpLevel.Connection, null, "x", new SocketException((int)error)));

        Assert.True(problem.IsTransient);
        Assert.Contains(what, problem.Message, StringComparison.Ordinal);
        Assert.Contains(cure, problem.Message, StringComparison.Ordinal);
    }

    [Theory]
    [InlineData(SocketError.ConnectionReset)]
    [InlineData(SocketError.Shutdown)]
    public void Who_has_ended_a_connection_was_reached(SocketError error)
    {
        var lost = new AmqpException(AmqpLevel.Connection, null, "The connection to one:5671 is lost: Connection reset by peer.", new SocketException((int)error));

        Assert.Equal("The connection to Service Bus at one.servicebus.windows.net broke (The connection to one:5671 is lost: Connection reset by peer).", _problems.Of(lost, s_orders).Message);
        Assert.Contains("UseDevelopmentEmulator=true stands there for a broker without TLS", _problems.Unopened(lost).Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Who_refuses_a_WebSocket_may_be_a_proxy_and_TLS_is_not_to_blame()
    {
        var refused = new AmqpException(AmqpLevel.Connection, null, "one:443 can't be connected to: HTTP/1.1 407.", new WebSocketException(WebSocketError.NotAWebSocket));

        var problem = _problems.Unopened(refused);

        Assert.True(problem.IsTransient);
        Assert.Equal(
            "No connection to Service Bus at one.servicebus.windows.net can be opened (one:443 can't be connected to: HTTP/1.1 407). If that goes on, check that ConnectionStrings__ServiceBus names the host of a Service Bus, and that no proxy answers in its place: connections are made straight, and no proxy is told of a password.",
            problem.Message);
    }

    [Fact]
    public void Where_an_identity_lets_us_in_it_is_the_namespace_s_setting_that_is_to_be_checked()
    {
        var address = NamespaceAddress.OfHost("one.servicebus.windows.net");
        var problems = new Problems(address, new IdentityTokens(DelegatedTokenCredential.Create((_, _) => default), address, TimeSpan.FromSeconds(30), TimeProvider.System));
        BrokerException[] all =
        [
            problems.Of(new AmqpException(AmqpLevel.Connection, null, "x", new SocketException((int)SocketError.HostNotFound))),
            problems.Unopened(new AmqpException(AmqpLevel.Connection, null, "x", new SocketException((int)SocketError.ConnectionReset))),
            problems.Of(new AmqpException(AmqpLevel.Connection, null, "x", new AuthenticationException("The remote certificate is invalid: UntrustedRoot"))),
            problems.Nonsense(s_orders, "x"),
        ];

        Assert.All(all, problem => Assert.Contains("ServiceBus__FullyQualifiedNamespace", problem.Message, StringComparison.Ordinal));
        foreach (var elsewhere in (string[])["ConnectionStrings__ServiceBus", "Endpoint", "UseDevelopmentEmulator"])
            Assert.All(all, problem => Assert.DoesNotContain(elsewhere, problem.Message, StringComparison.Ordinal));
    }

    [Fact]
    public void A_broker_that_fell_silent_is_not_said_to_be_full()
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Connection, ErrorConditions.ResourceLimitExceeded, "one:5671 has been silent for 60 s."), s_orders);

        Assert.True(problem.IsTransient);
        Assert.Equal("The connection to Service Bus at one.servicebus.windows.net broke (one:5671 has been silent for 60 s).", problem.Message);
    }

    [Fact]
    public void What_we_end_a_connection_for_is_no_refusal_of_the_broker_s()
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Connection, ErrorConditions.NotAllowed, "The peer has begun no session on channel 0."), s_orders);

        Assert.True(problem.IsTransient);
        Assert.Equal("The connection to Service Bus at one.servicebus.windows.net broke (The peer has begun no session on channel 0).", problem.Message);
    }

    [Fact]
    public void A_certificate_that_is_not_trusted_names_the_setting_that_trusts_it()
    {
        var problem = _problems.Of(new AmqpException(AmqpLevel.Connection, null, "x", new AuthenticationException("The remote certificate is invalid: UntrustedRoot")));

        Assert.False(problem.IsTransient);
        Assert.Contains("Worker__ServiceBus__CaFile", problem.Message, StringComparison.Ordinal);
    }
}
