using Holdfast.Broker;
using Holdfast.Virtual;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Demo;

public sealed class DemoProducerTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly Stopping _lifetime = new();
    private readonly Notes<DemoProducer> _log = new();
    private readonly Outbox _outbox;
    private readonly DemoProducer _producer;

    public DemoProducerTests()
    {
        _outbox = new Outbox(_time);
        _producer = new DemoProducer(_outbox, new HandlingOptions { Demo = { Produce = 4 } }, _time, _lifetime, _log);
    }

    public void Dispose()
    {
        _lifetime.StopApplication();
        _producer.Dispose();
        _lifetime.Dispose();
    }

    [Fact]
    public void Messages_are_sent_evenly_and_by_number()
    {
        SendFor(2);

        Assert.Equal(Enumerable.Range(1, 8).Select(n => ($"demo-{n}", n * 0.25)), _outbox.Sent.Select(s => (s.Message.Id, s.At.TotalSeconds)));
    }

    [Fact]
    public void Now_and_then_one_is_urgent()
    {
        SendFor(10);

        Assert.Equal(["demo-20", "demo-40"], _outbox.Sent.Where(s => s.Message.Priority > 0).Select(s => s.Message.Id));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_broker_that_fails_for_a_while_is_reported_once_and_no_number_is_left_out(bool isTransient)
    {
        _outbox.Failures = 3;
        _outbox.IsTransient = isTransient;

        SendFor(3);

        Assert.Equal(Enumerable.Range(1, _outbox.Sent.Count).Select(n => $"demo-{n}"), _outbox.Sent.Select(s => s.Message.Id));
        Assert.NotEmpty(_outbox.Sent);
        Assert.Equal(
            ["Warning: The demo producer can't send to orders, and will go on trying: refused", "Information: The demo producer sends to orders again"],
            _log.Lines);
    }

    [Fact]
    public async Task Sending_ends_as_soon_as_the_host_is_asked_to_stop()
    {
        await _producer.StartAsync(default);

        _lifetime.StopApplication();
        await _producer.ExecuteTask!;

        Assert.Empty(_log.Lines);
    }

    private void SendFor(double seconds)
    {
        _ = _producer.SendAsync(_lifetime.ApplicationStopping);
        _time.Advance(TimeSpan.FromSeconds(seconds));
    }

    private sealed class Outbox(VirtualTime time) : IBroker, ISender
    {
        public List<(Message Message, TimeSpan At)> Sent { get; } = [];

        public int Failures { get; set; }

        public bool IsTransient { get; set; } = true;

        public string System => "outbox";

        public ValueTask<IReceiver> OpenReceiverAsync(string queue, CancellationToken cancel) => throw new NotSupportedException();

        public ValueTask<ISender> OpenSenderAsync(string queue, CancellationToken cancel) => new(this);

        public ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
        {
            if (Failures-- > 0)
                throw new BrokerException("refused", IsTransient);
            Sent.Add((message, time.Elapsed));
            return ValueTask.CompletedTask;
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class Stopping : IHostApplicationLifetime, IDisposable
    {
        private readonly CancellationTokenSource _stopping = new();

        public CancellationToken ApplicationStarted => default;

        public CancellationToken ApplicationStopping => _stopping.Token;

        public CancellationToken ApplicationStopped => default;

        public void StopApplication() => _stopping.Cancel();

        public void Dispose() => _stopping.Dispose();
    }
}
