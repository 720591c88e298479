using Holdfast.Broker;
using Holdfast.Broker.InMemory;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What becomes of many messages of one key where nobody may hold a message for long.</summary>
public sealed class HeldKeyTests : IDisposable
{
    private readonly List<string> _begun = [];
    private readonly List<double> _calledOffAfter = [];
    private EngineByHand? _hand;

    public void Dispose() => _hand?.Dispose();

    [Fact]
    public void What_can_hardly_begin_before_its_limit_is_given_back_unbegun_and_not_called_off()
    {
        var hand = Start(turn: 1, holdLimit: 20, options => options.MaxConcurrency = 64);

        for (var number = 0; number < 60; number++)
        {
            Send($"a{number}");
            hand.Run(0.05);
        }

        hand.Run(30);

        Assert.InRange(hand.Misses(MissReason.Deadline), 20, 60);
        Assert.All(_calledOffAfter, seconds => Assert.InRange(seconds, 0.9, 1));
    }

    [Fact]
    public void One_whose_turn_takes_longer_than_it_may_be_held_is_begun_all_the_same()
    {
        var hand = Start(turn: 30, holdLimit: 15);

        Send("a1");
        hand.Run(40);

        Assert.Equal(["a1", "a1", "a1"], _begun);
    }

    // The first letter is the key.
    private void Send(params string[] ids)
    {
        foreach (var id in ids)
            _hand!.Send(new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = id[..1] } });
    }

    private EngineByHand Start(double turn, double holdLimit, Action<QueueOptions>? configure = null) =>
        _hand = new EngineByHand(
            async (message, cancel) =>
            {
                _begun.Add(message.Id);
                var begun = _hand!.Now;
                try
                {
                    await _hand.Nap(turn, cancel);
                }
                catch (OperationCanceledException)
                {
                    _calledOffAfter.Add(_hand.Now - begun);
                    throw;
                }

                return Settlement.Complete;
            },
            options =>
            {
                options.OrderBy = "customer";
                configure?.Invoke(options);
            },
            broker => broker.HoldLimit = TimeSpan.FromSeconds(holdLimit)).Start();
}
