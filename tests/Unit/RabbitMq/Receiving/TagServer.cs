using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

/// <summary>Keeps a channel's unsettled tags like the server does, and complains of what would cost the channel or a message. Any thread.</summary>
internal sealed class TagServer
{
    private readonly Lock _gate = new();
    private readonly SortedSet<ulong> _unsettled;
    private readonly HashSet<ulong> _acknowledged = [];
    private readonly List<string> _complaints = [];
    private readonly FakeChannel _channel = FakeChannel.Open();

    public TagServer(int deliveries)
    {
        _unsettled = [.. Enumerable.Range(1, deliveries).Select(tag => (ulong)tag)];
        _channel.Answer = AnswerAsync;
    }

    public IReadOnlyCollection<string> Complaints => _complaints;

    public IReadOnlyCollection<ulong> Unsettled => _unsettled;

    /// <summary>What each acknowledgement must pass before the next is sent.</summary>
    public SemaphoreSlim? Gate { get; set; }

    public Acknowledgements Acknowledgements() => new(Opened.On(_channel, TimeProvider.System));

    public void Acknowledge(Acknowledgements acknowledgements, ulong tag)
    {
        lock (_gate)
            _acknowledged.Add(tag);
        acknowledgements.Add(tag, key: null);
    }

    public void GiveBack(Acknowledgements acknowledgements, ulong tag)
    {
        lock (_gate)
            _unsettled.Remove(tag);
        acknowledgements.Pass(tag);
    }

    private Task AnswerAsync(string question)
    {
        var words = question.Split(' ');
        Settle(ulong.Parse(words[^1]), isForAll: words.Length > 2);
        return Gate?.WaitAsync() ?? Task.CompletedTask;
    }

    private void Settle(ulong tag, bool isForAll)
    {
        lock (_gate)
        {
            if (!_unsettled.Contains(tag))
                _complaints.Add($"unknown delivery tag {tag}");
            foreach (var settled in isForAll ? _unsettled.GetViewBetween(0, tag).ToArray() : [tag])
            {
                if (!_acknowledged.Contains(settled))
                    _complaints.Add($"{settled} was still in hand");
                _unsettled.Remove(settled);
            }
        }
    }
}
