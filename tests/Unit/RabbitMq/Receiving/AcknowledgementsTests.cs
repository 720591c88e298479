using System.Collections.Concurrent;
using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class AcknowledgementsTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private enum End
    {
        Acknowledged,
        GivenBack,
        Held,
    }

    [Fact]
    public void In_whatever_order_deliveries_end_the_server_hears_of_each_once_and_of_no_other() =>
        Prop.ForAll(
            Gen.Frequency((6, Gen.Constant(End.Acknowledged)), (2, Gen.Constant(End.GivenBack)), (1, Gen.Constant(End.Held)))
                .SelectMany(_ => Gen.Choose(0, 40), (end, turn) => (end, turn)).ArrayOf().ToArbitrary(),
            deliveries => PlayAsync(deliveries).GetAwaiter().GetResult()).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public async Task Threads_that_settle_at_once_settle_each_delivery_once()
    {
        const int Count = 40_000;
        var server = new TagServer(Count);
        var acknowledgements = server.Acknowledgements();
        var tags = new ConcurrentQueue<ulong>(Enumerable.Range(1, Count).Select(tag => (ulong)tag));

        await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => Task.Run(() =>
        {
            while (tags.TryDequeue(out var tag))
                server.Acknowledge(acknowledgements, tag);
        })));
        await acknowledgements.SentAsync().WaitAsync(s_patience);

        Assert.Empty(server.Complaints);
        Assert.Empty(server.Unsettled);
    }

    [Fact]
    public async Task Those_that_come_while_one_is_on_its_way_travel_as_one()
    {
        var channel = FakeChannel.Open();
        var answer = new TaskCompletionSource();
        channel.Answer = _ => answer.Task;
        var acknowledgements = new Acknowledgements(Opened.On(channel, TimeProvider.System));

        acknowledgements.Add(1, key: null);
        Assert.Equal("ack up to 1", await channel.AskedAsync());
        foreach (var tag in new ulong[] { 4, 2, 7, 3 })
            acknowledgements.Add(tag, key: null);
        answer.SetResult();
        await acknowledgements.SentAsync().WaitAsync(s_patience);

        Assert.Equal(["ack up to 4", "ack 7"], channel.Asked());
    }

    [Fact]
    public async Task One_that_was_given_back_stands_in_the_way_until_the_server_was_told()
    {
        var channel = FakeChannel.Open();
        var acknowledgements = new Acknowledgements(Opened.On(channel, TimeProvider.System));

        acknowledgements.Add(2, key: null);
        await acknowledgements.SentAsync().WaitAsync(s_patience);
        acknowledgements.Pass(1);
        acknowledgements.Add(3, key: null);
        await acknowledgements.SentAsync().WaitAsync(s_patience);

        Assert.Equal(["ack 2", "ack up to 3"], channel.Asked());
    }

    [Fact]
    public async Task One_that_can_t_be_sent_ends_the_channel()
    {
        var channel = FakeChannel.Open();
        channel.Answer = _ => Task.FromException(new IOException("Cut."));
        var intake = Opened.On(channel, TimeProvider.System);
        var acknowledgements = new Acknowledgements(intake);

        acknowledgements.Add(1, key: null);
        await acknowledgements.SentAsync().WaitAsync(s_patience);
        acknowledgements.Add(2, key: null);

        Assert.True(intake.IsOver);
        Assert.Equal(["ack up to 1"], channel.Asked());
    }

    // Each delivery ends when its turn comes; between two turns one more acknowledgement gets through.
    private static async Task PlayAsync((End End, int Turn)[] deliveries)
    {
        var server = new TagServer(deliveries.Length);
        using var gate = new SemaphoreSlim(0);
        server.Gate = gate;
        var acknowledgements = server.Acknowledgements();

        foreach (var turn in deliveries.Select((delivery, n) => (delivery.End, delivery.Turn, Tag: (ulong)n + 1)).GroupBy(delivery => delivery.Turn).OrderBy(turn => turn.Key))
        {
            foreach (var (end, _, tag) in turn)
            {
                if (end == End.Acknowledged)
                    server.Acknowledge(acknowledgements, tag);
                else if (end == End.GivenBack)
                    server.GiveBack(acknowledgements, tag);
            }

            gate.Release();
        }

        gate.Release(deliveries.Length + 1);
        await acknowledgements.SentAsync().WaitAsync(s_patience);
        Assert.Empty(server.Complaints);
        Assert.Equal(deliveries.Select((delivery, n) => (delivery.End, Tag: (ulong)n + 1)).Where(delivery => delivery.End == End.Held).Select(delivery => delivery.Tag), server.Unsettled);
    }
}
