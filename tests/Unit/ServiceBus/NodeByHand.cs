using Holdfast.Amqp;
using Holdfast.Broker.ServiceBus;
using Holdfast.Tests.Unit.Amqp;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

/// <summary>A node that is asked, whose answers are given by hand.</summary>
internal sealed class NodeByHand
{
    private const string Node = "orders/$management";

    // The handles that the peer has for the links, and the one that the link back has with us.
    private const uint Back = 8;
    private const uint There = 9;

    private uint _answers;

    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public required PeerByHand Peer { get; init; }

    public RequestLink Link { get; private set; } = null!;

    /// <summary>When any node of the connection has answered.</summary>
    public required LastAnswer LastAnswer { get; init; }

    public VirtualTime Time => Peer.Time;

    /// <param name="credit">How many requests it takes.</param>
    public static async Task<NodeByHand> OpenAsync(uint credit = 100)
    {
        var peer = PeerByHand.Opened();
        var node = new NodeByHand { Peer = peer, LastAnswer = new(peer.Time) };
        var opening = node.OpenLinkAsync(default);
        node.Attach(credit);
        node.Link = await opening;
        return node;
    }

    /// <summary>Answers whoever is about to open links to it, the first of the connection.</summary>
    public void Attach(uint credit = 100)
    {
        Begin();
        var back = Peer.Next<Attach>();
        Peer.Say(new Attach { Name = back.Name, Handle = Back, Role = Role.Sender, Source = back.Source, Target = back.Target, InitialDeliveryCount = 0 });
        Peer.Next<Flow>();
        var there = Peer.Next<Attach>();
        Peer.Say(new Attach { Name = there.Name, Handle = There, Role = Role.Receiver, Source = there.Source, Target = there.Target });
        GiveCredit(credit);
    }

    public Task<Answer> AskAsync(string operation = "renew-lock", CancellationToken cancel = default) =>
        Link.AskAsync(operation, new ApplicationProperties { ["operation"] = operation }, null, Patience, onLeft: null, cancel).AsTask();

    /// <summary>The id of the request that comes next.</summary>
    public string NextRequest() => IdOf(Next());

    /// <inheritdoc cref="NextRequest()"/>
    public string NextRequest(out string operation)
    {
        var request = Next();
        operation = (string)request.ApplicationProperties!["operation"]!;
        return IdOf(request);
    }

    /// <inheritdoc cref="NextRequest()"/>
    public string NextRequest(out AmqpMap body)
    {
        var request = Next();
        body = (AmqpMap)((ValueBody)request.Body!).Value!;
        return IdOf(request);
    }

    public void Answer(string request, int status = 200, string? condition = null, AmqpMap? body = null) =>
        Answer(AnswerTo(request, new() { ["statusCode"] = status, ["errorCondition"] = condition is { } name ? (Symbol)name : (object?)null }, body));

    public void Answer(byte[] payload, bool isSettled = true) =>
        Peer.Say(new Transfer { Handle = Back, DeliveryId = _answers++, DeliveryTag = [1], MessageFormat = 0, Settled = isSettled }, payload: payload);

    public static byte[] AnswerTo(string request, ApplicationProperties properties, AmqpMap? body = null)
    {
        using var writer = new AmqpWriter();
        new AmqpMessage
        {
            Properties = new() { CorrelationId = request },
            ApplicationProperties = properties,
            Body = body is null ? null : new ValueBody(body),
        }.Encode(writer);
        return writer.ToArray();
    }

    public void GiveCredit(uint credit) => Peer.SayFlow(There, count: 0, credit);

    /// <summary>Another link, whose session is begun, and whose attach is never answered.</summary>
    public Task<RequestLink> OpenAnotherAsync(CancellationToken cancel)
    {
        var opening = OpenLinkAsync(cancel);
        Begin();
        Peer.Next<Attach>();
        return opening;
    }

    private static string IdOf(AmqpMessage request) => (string)request.Properties!.MessageId!;

    private AmqpMessage Next() => AmqpMessage.Decode(Peer.NextTransfer().Payload);

    private Task<RequestLink> OpenLinkAsync(CancellationToken cancel)
    {
        var problems = new Problems(NamespaceAddress.OfHost("one.servicebus.windows.net"), new KeyTokens(new SharedAccessKey("me", "secret"), Time));
        return RequestLink.OpenAsync(Peer.Connection, Node, EntityName.Parse("orders"), problems, null, LastAnswer, Time, cancel).AsTask();
    }

    private void Begin()
    {
        var (channel, _) = Peer.NextOn<Begin>();
        Peer.Say(new Begin { RemoteChannel = channel, NextOutgoingId = 0, IncomingWindow = 1000, OutgoingWindow = 1000 }, channel);
    }
}
