using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SendersTests
{
    [Fact]
    public async Task A_queue_is_opened_once_and_closed_at_the_end()
    {
        var broker = new Opening();
        await using (var senders = new Senders(broker))
        {
            await senders.SendAsync("a", new Message { Id = "1" });
            await senders.SendAsync("a", new Message { Id = "2" });
            await senders.SendAsync("b", new Message { Id = "3" });
            Assert.Equal((2, 0), (broker.Opened, broker.Closed));
        }

        Assert.Equal((2, 2), (broker.Opened, broker.Closed));
        Assert.Equal(["1", "2", "3"], broker.Sent);
    }

    [Fact]
    public async Task What_could_not_be_opened_is_opened_anew()
    {
        var broker = new Opening { Refusals = 1 };
        await using var senders = new Senders(broker);

        await Assert.ThrowsAsync<BrokerException>(() => senders.SendAsync("a", new Message { Id = "1" }).AsTask());
        await senders.SendAsync("a", new Message { Id = "1" });

        Assert.Equal(["1"], broker.Sent);
    }

    private sealed class Opening : IBroker, ISender
    {
        public int Opened { get; private set; }

        public int Closed { get; private set; }

        public int Refusals { get; set; }

        public List<string> Sent { get; } = [];

        public string System => "test";

        public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

        public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel)
        {
            if (Refusals-- > 0)
                return ValueTask.FromException<ISender>(new BrokerException("refused", isTransient: true));
            Opened++;
            return new(this);
        }

        public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
        {
            Sent.Add(message.Id);
            return default;
        }

        public ValueTask DisposeAsync()
        {
            Closed++;
            return default;
        }
    }
}
