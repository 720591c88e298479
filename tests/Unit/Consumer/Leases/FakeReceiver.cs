using Holdfast.Broker;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A receiver whose renewals are answered by script: at once, later, or never.</summary>
internal sealed class FakeReceiver(VirtualTime time) : IReceiver
{
    public string Queue => "orders";

    public bool IsConnected { get; set; } = true;

    public int RenewalBatch { get; set; } = 100;

    public List<Request> Requests { get; } = [];

    /// <summary>What the engine let go of, and when, in seconds.</summary>
    public List<(string Id, double At)> GivenUp { get; } = [];

    /// <summary>What is done with each request as it comes in. Nothing: it hangs until it is answered by hand.</summary>
    public Action<Request> OnRenew { get; set; } = static request => request.Answer(Renewal.Renewed);

    /// <summary>When renewals were asked for, in seconds.</summary>
    public IEnumerable<double> AskedAt => Requests.Select(request => request.At.TotalSeconds);

    public ValueTask RenewAsync(ReadOnlyMemory<Delivery> due, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        var request = new Request(time.Elapsed, [.. due.ToArray().Select(delivery => delivery.Message.Id)], outcomes, cancel);
        Requests.Add(request);
        OnRenew(request);
        return new ValueTask(request.Answered);
    }

    public ValueTask<int> ReceiveAsync(Memory<Delivery> room, CancellationToken cancel) => throw new NotSupportedException();

    public ValueTask<bool> SettleAsync(Delivery delivery, Settlement settlement, CancellationToken cancel) => throw new NotSupportedException();

    public void LetGo(Delivery delivery) => GivenUp.Add((delivery.Message.Id, time.Elapsed.TotalSeconds));

    public bool IsClosed { get; private set; }

    public ValueTask DisposeAsync()
    {
        IsClosed = true;
        return ValueTask.CompletedTask;
    }

    /// <summary>One renewal request as it reached the broker.</summary>
    internal sealed class Request(TimeSpan at, string[] ids, Memory<Renewal> outcomes, CancellationToken cancel)
    {
        private readonly TaskCompletionSource _answer = new();

        public TimeSpan At => at;

        public string[] Ids => ids;

        public CancellationToken CalledOff => cancel;

        public Task Answered => _answer.Task;

        public void Answer(Renewal outcome)
        {
            outcomes.Span.Fill(outcome);
            _answer.SetResult();
        }

        public void Fail() => Fail(new BrokerException("The broker is away.", isTransient: true));

        public void Fail(Exception failure) => _answer.SetException(failure);
    }
}
