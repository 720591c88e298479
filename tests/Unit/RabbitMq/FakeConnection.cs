using System.Reflection;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>A connection without a server: it hands out fake channels, and keeps them for the test to look at.</summary>
public class FakeConnection : DispatchProxy
{
    public IConnection Connection => (IConnection)(object)this;

    public List<FakeChannel> Channels { get; } = [];

    /// <summary>What each answer of its channels waits for, or fails with.</summary>
    public Func<string, Task> Answer { get; set; } = _ => Task.CompletedTask;

    public static FakeConnection Open() => (FakeConnection)(object)Create<IConnection, FakeConnection>();

    /// <summary>How many messages its queues say they have.</summary>
    public uint Ready { get; set; }

    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        if (targetMethod!.Name == "get_ServerProperties")
            return new Dictionary<string, object?> { ["version"] = "4.0.0"u8.ToArray() };
        if (targetMethod.Name != nameof(IConnection.CreateChannelAsync))
            throw new NotSupportedException(targetMethod.Name);
        var channel = FakeChannel.Open();
        channel.Answer = Answer;
        channel.Ready = Ready;
        Channels.Add(channel);
        return Task.FromResult(channel.Channel);
    }
}
