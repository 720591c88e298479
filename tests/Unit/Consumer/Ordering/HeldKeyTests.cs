using Holdfast.Broker;
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
    public void However_many_were_taken_of_other_keys_no_message_of_one_is_put_aside_because_it_never_began()
    {
        var hand = Start(
            turn: 2.017,
            holdLimit: 60,
            options => (options.Admission, options.MaxConcurrency, options.Retry.MaxDeliveries) = (AdmissionMode.Adaptive, 256, 10),
            lockDuration: 60);
        Send([.. Enumerable.Range(0, 2500).Select(number => $"{(char)(1000 + number)}")]);
        hand.Run(60);
        Assert.Equal((256, 2500), (hand.Queue.Admission.Limit, _begun.Count));

        Send([.. Enumerable.Range(0, 800).Select(number => $"a{number}")]);
        hand.Run(2400);

        // Those that came before anybody knew of the key are given back once.
        Assert.Equal((0, 0), (hand.Counts.Dead, hand.Counts.Waiting));
        Assert.InRange(hand.Misses(MissReason.Deadline), 0, 256);
        Assert.Equal(800, _begun.Skip(2500).Distinct().Count());
    }

    // The first letter is the key.
    private void Send(params string[] ids)
    {
        foreach (var id in ids)
            _hand!.Send(new Message { Id = id, Properties = new Dictionary<string, object?> { ["customer"] = id[..1] } });
    }

    private EngineByHand Start(double turn, double holdLimit, Action<QueueOptions>? configure = null, double lockDuration = 10) =>
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
            broker => (broker.HoldLimit, broker.LockDuration) = (TimeSpan.FromSeconds(holdLimit), TimeSpan.FromSeconds(lockDuration))).Start();
}
