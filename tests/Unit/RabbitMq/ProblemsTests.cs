using System.Net.Sockets;
using System.Security.Authentication;
using Holdfast.Broker;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;
using RabbitMQ.Client.Events;
using RabbitMQ.Client.Exceptions;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ProblemsTests
{
    private const string At = "RabbitMQ at amqp://me@one:5672,two:5673/shop";
    private static readonly ServerAddress s_server = ServerAddress.Parse("amqp://me:secret@one,two:5673/shop");

    [Fact]
    public void A_refused_login_lasts() => Lasts(
        Unreachable(new AuthenticationFailureException("ACCESS_REFUSED - Login was refused using authentication mechanism PLAIN.")),
        $"{At} refused the login of user 'me'. Check user and password in ConnectionStrings__RabbitMq.");

    [Theory]
    [InlineData("amqp://one", true)]
    [InlineData("amqp://localhost,127.0.0.1,[::1]", false)]
    [InlineData("amqp://me@one", false)]
    public void Who_logs_in_as_guest_from_afar_is_told_why_that_fails(string uri, bool isTold)
    {
        var line = Problems.Of(new AuthenticationFailureException("no"), ServerAddress.Parse(uri)).Message;

        Assert.Equal(isTold, line.EndsWith("guest may log in from the server's own machine only."));
    }

    [Fact]
    public void A_login_that_was_cut_short_passes() => Passes(
        Unreachable(new PossibleAuthenticationFailureException("maybe", Closed(541, "End of stream", ShutdownInitiator.Library))),
        $"{At} closed the connection during the login of user 'me'. If that goes on, check user and password in ConnectionStrings__RabbitMq, and the server's log.");

    [Fact]
    public void A_server_that_is_not_trusted_lasts() => Lasts(
        Unreachable(new AggregateException(new AuthenticationException("The remote\ncertificate is invalid."))),
        $"{At} can't be trusted (The remote certificate is invalid). Set Worker__RabbitMq__CaFile to the authority that signed its certificate, and in ConnectionStrings__RabbitMq a host that the certificate names and a port that speaks TLS.");

    [Fact]
    public void While_another_host_may_come_back_a_server_that_is_not_trusted_passes() =>
        Assert.True(Problems.Of(Unreachable(new AggregateException(Refused(), new AuthenticationException("no"))), s_server).IsTransient);

    [Fact]
    public void Hosts_out_of_reach_pass() => Passes(
        Unreachable(new AggregateException(new ConnectFailureException("Connection failed", Refused()), Refused())),
        $"{At} can't be reached (Connection refused). If that goes on, check the hosts in ConnectionStrings__RabbitMq.");

    [Fact]
    public void A_host_whose_name_leads_nowhere_passes_and_the_name_servers_are_named()
    {
        Passes(
            Unreachable(new ConnectFailureException("Connection failed", new SocketException((int)SocketError.HostNotFound, "Name or service not known"))),
            $"{At} can't be reached (Name or service not known). If that goes on, check the hosts in ConnectionStrings__RabbitMq, and the name servers that this machine asks.");
        Passes(
            Unreachable(new ConnectFailureException("Connection failed", new SocketException((int)SocketError.TryAgain))),
            $"{At} can't be reached (no name server answers). If that goes on, check the hosts in ConnectionStrings__RabbitMq, and the name servers that this machine asks.");
    }

    [Fact]
    public void A_host_that_answers_nothing_passes() => Passes(
        Unreachable(new AggregateException(new ConnectFailureException("Connection failed", new TimeoutException("The operation has timed out.")))),
        $"{At} can't be reached (nothing answers there). If that goes on, check the hosts in ConnectionStrings__RabbitMq, and what keeps packets from them: the server's machine may be gone, or a firewall drops them.");

    [Fact]
    public void No_answer_in_time_passes()
    {
        Passes(new TimeoutException("The operation has timed out."), $"{At} did not answer in time.");
        Passes(Unreachable(new OperationCanceledException()), $"{At} did not answer in time.");
    }

    [Fact]
    public void A_broken_connection_passes()
    {
        Passes(Unreachable(new IOException("Connection reset.")), $"The connection to {At} broke (Connection reset).");
        Passes(Closed(541, "End of stream", ShutdownInitiator.Library), $"The connection to {At} was closed (End of stream).");
        Passes(new AlreadyClosedException(new(ShutdownInitiator.Application, 200, "Goodbye")), $"The connection to {At} was closed (Goodbye).");
        Passes(new ObjectDisposedException("channel"), $"The connection to {At} was closed.");
    }

    [Fact]
    public void What_speaks_another_protocol_lasts() => Lasts(
        Unreachable(new ProtocolVersionMismatchException(0, 9, 1, 0)),
        $"{At} does not speak AMQP 0-9-1. Check hosts and ports in ConnectionStrings__RabbitMq.");

    [Fact]
    public void A_message_that_nobody_took_passes_unless_its_queue_is_missing()
    {
        Passes(new PublishException(7, isReturn: false), $"{At} did not take over a message for queue 'orders': the queue may be full, or short of members.");
        Lasts(
            new PublishException(7, isReturn: true),
            $"{At} has no queue 'orders' to put a message into. Create it, set Worker__RabbitMq__Declare=true to have it declared, or name another in Worker__Queue, or by a command's --queue or --to.");
        Lasts(new WireFormattingException("Value of type 'Guid'\nno"), "A message for queue 'orders' has a property that AMQP 0-9-1 can't carry: Value of type 'Guid' no");
    }

    [Fact]
    public void A_message_that_nobody_confirmed_may_be_there() => Assert.Equal(
        $"{At} has not confirmed a message for queue 'orders' within 60 s: it may have it or not. If that goes on, the queue hangs, or the server is short of memory or disk: look at its log, and at what rabbitmqctl list_unresponsive_queues says.",
        Problems.Unconfirmed(new UnansweredException(TimeSpan.FromMinutes(1)), s_server, "orders", obstacle: null).Message);

    [Fact]
    public void A_server_that_gives_no_sign_of_life_passes() => Passes(
        new SilentException(TimeSpan.FromSeconds(2.5)),
        $"{At} has given no sign of life for 2.5 s on the connection by which queue 'orders' is consumed: the way there is cut, or the server is too busy. If that goes on, what is held is missed; look at the network, and at the server's log.");

    [Fact]
    public void A_sweep_that_a_server_does_not_answer_which_takes_nothing_tells_that() => Assert.Equal(
        $"{At} has not answered within 60 s. It takes nothing.",
        Problems.OfSweep(new UnansweredException(TimeSpan.FromMinutes(1)), s_server, "orders.dead", obstacle: "It takes nothing.").Message);

    [Fact]
    public void A_consumer_that_the_server_ended_may_have_held_a_delivery_for_too_long() => Assert.EndsWith(
        "; or a delivery was held longer than the server allows: then set Worker__RabbitMq__ConsumerTimeout to no more than that.",
        Problems.ConsumerEnded("orders").Message);

    [Fact]
    public void A_connection_that_has_all_the_channels_it_may_have_passes() => Passes(
        new ChannelAllocationException(),
        $"{At} lets one connection have no further channel. Raise channel_max in its configuration: what is sent leaves by one connection, with a channel for each queue that it goes to, up to 64, dead letters and delays among them.");

    [Fact]
    public void Whatever_else_may_pass_too() => Passes(new InvalidOperationException("Pipelining."), $"{At} can't be used just now (Pipelining).");

    [Fact]
    public void What_was_told_already_is_told_no_other_way()
    {
        var told = new BrokerException("told", isTransient: false);

        Assert.Same(told, Problems.Of(told, s_server));
    }

    [Fact]
    public void The_cause_is_kept()
    {
        var cause = Refused();

        Assert.Same(cause, Problems.Of(Unreachable(cause), s_server).InnerException);
    }

    private static BrokerUnreachableException Unreachable(Exception why) => new(why);

    private static SocketException Refused() => new((int)SocketError.ConnectionRefused);

    private static OperationInterruptedException Closed(ushort code, string text, ShutdownInitiator by) => new(new ShutdownEventArgs(by, code, text));

    private static void Lasts(Exception cause, string line) => Tells(cause, line, isTransient: false);

    private static void Passes(Exception cause, string line) => Tells(cause, line, isTransient: true);

    private static void Tells(Exception cause, string line, bool isTransient)
    {
        var problem = Problems.Of(cause, s_server, "orders");

        Assert.Equal((line, isTransient), (problem.Message, problem.IsTransient));
        Assert.DoesNotContain("secret", problem.ToString());
    }
}
