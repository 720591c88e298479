using Holdfast.Broker.ServiceBus;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.ServiceBus;

public sealed class SessionSearchTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly List<CancellationToken> _asked = [];
    private readonly SessionSearch _search;

    public SessionSearchTests() => _search = new SessionSearch(
        token =>
        {
            _asked.Add(token);
            return Task.CompletedTask;
        },
        _time);

    public void Dispose() => _search.Dispose();

    [Fact]
    public void One_is_asked_for_at_a_time()
    {
        _search.Begin();
        _search.Begin();
        Assert.Single(_asked);

        _search.End();
        _search.Begin();

        Assert.Equal(2, _asked.Count);
    }

    [Fact]
    public void What_is_not_wanted_any_more_is_called_off_and_nothing_else()
    {
        _search.CallOff();
        _search.Begin();
        Assert.False(Assert.Single(_asked).IsCancellationRequested);

        _search.CallOff();

        Assert.True(_asked[0].IsCancellationRequested);
    }

    [Fact]
    public void What_came_to_nothing_at_once_is_asked_for_again_after_a_pause()
    {
        Ask();
        _search.NoteVain(_time.GetTimestamp());
        _search.Begin();
        Assert.Single(_asked);

        _time.Advance(SessionSearch.Pause);
        _search.Begin();

        Assert.Equal(2, _asked.Count);
    }

    [Fact]
    public void What_comes_while_one_that_was_taken_back_is_paused_for_does_not_end_the_pause()
    {
        Ask();
        _search.Begin();
        _search.NoteVain(_time.GetTimestamp());
        _search.End();

        _search.Begin();

        Assert.Equal(2, _asked.Count);
    }

    [Fact]
    public void What_was_waited_for_or_held_for_long_needs_no_pause()
    {
        Ask();
        var since = _time.GetTimestamp();
        _time.Advance(TimeSpan.FromSeconds(60));

        _search.NoteVain(since);
        _search.Begin();

        Assert.Equal(2, _asked.Count);
    }

    private void Ask()
    {
        _search.Begin();
        _search.End();
    }
}
