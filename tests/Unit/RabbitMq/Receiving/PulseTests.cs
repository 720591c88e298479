using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class PulseTests : IDisposable
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);

    private readonly List<TaskCompletionSource> _asked = [];
    private readonly SemaphoreSlim _isAsked = new(0);
    private readonly Pulse _pulse;

    public PulseTests() => _pulse = new Pulse(() =>
    {
        _asked.Add(new(TaskCreationOptions.RunContinuationsAsynchronously));
        _isAsked.Release();
        return _asked[^1].Task;
    });

    public void Dispose() => _isAsked.Dispose();

    [Fact]
    public async Task A_beat_is_answered_when_the_server_answers()
    {
        var beat = _pulse.BeatAsync();
        Assert.Single(_asked);
        Assert.False(beat.IsCompleted);

        _asked[0].SetResult();
        await beat.WaitAsync(s_patience);
    }

    [Fact]
    public async Task Who_asks_while_a_question_is_under_way_gets_the_answer_to_the_next()
    {
        var first = _pulse.BeatAsync();
        await AskedAsync();
        var second = _pulse.BeatAsync();
        Assert.Single(_asked);

        _asked[0].SetResult();
        await first.WaitAsync(s_patience);
        await AskedAsync();
        Assert.False(second.IsCompleted);

        _asked[1].SetResult();
        await second.WaitAsync(s_patience);
    }

    [Fact]
    public async Task All_who_ask_meanwhile_share_the_next()
    {
        _ = _pulse.BeatAsync();
        await AskedAsync();
        var waiting = Enumerable.Range(0, 10).Select(_ => _pulse.BeatAsync()).ToArray();

        _asked[0].SetResult();
        await AskedAsync();
        _asked[1].SetResult();

        await Task.WhenAll(waiting).WaitAsync(s_patience);
        Assert.Equal(2, _asked.Count);
    }

    [Fact]
    public async Task A_failure_reaches_those_who_waited_for_it_and_the_next_beat_asks_anew()
    {
        var failing = _pulse.BeatAsync();
        await AskedAsync();
        var next = _pulse.BeatAsync();

        _asked[0].SetException(new IOException("Cut."));
        await Assert.ThrowsAsync<IOException>(() => failing.WaitAsync(s_patience));
        await AskedAsync();
        _asked[1].SetException(new IOException("Cut again."));
        Assert.Equal("Cut again.", (await Assert.ThrowsAsync<IOException>(() => next.WaitAsync(s_patience))).Message);

        var anew = _pulse.BeatAsync();
        _asked[2].SetResult();
        await anew.WaitAsync(s_patience);
    }

    [Fact]
    public async Task A_beat_after_an_answer_asks_again()
    {
        for (var round = 0; round < 3; round++)
        {
            var beat = _pulse.BeatAsync();
            Assert.Equal(round + 1, _asked.Count);
            _asked[round].SetResult();
            await beat.WaitAsync(s_patience);
        }
    }

    // How near the two come to each other is chance: in a few thousand rounds they meet.
    [Fact]
    public async Task Who_asks_just_as_the_question_before_is_answered_has_the_next_one_asked()
    {
        for (var round = 0; round < 2_000; round++)
        {
            var asked = new List<TaskCompletionSource>();
            var pulse = new Pulse(() =>
            {
                var question = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
                lock (asked)
                    asked.Add(question);
                return question.Task;
            });
            _ = pulse.BeatAsync();
            using var together = new Barrier(2);
            var answering = Task.Run(() =>
            {
                together.SignalAndWait();
                asked[0].SetResult();
            });
            together.SignalAndWait();
            var second = pulse.BeatAsync();
            await answering;
            while (!second.IsCompleted)
            {
                lock (asked)
                    asked[^1].TrySetResult();
                await Task.Yield();
            }

            var before = asked.Count;
            _ = pulse.BeatAsync();
            Assert.True(asked.Count > before, $"In round {round} a beat was answered without a question.");
        }
    }

    private async Task AskedAsync() => Assert.True(await _isAsked.WaitAsync(s_patience), "The server was not asked.");
}
