using Holdfast.Scheduling;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Scheduling;

public sealed class PoolGuardTests : IDisposable
{
    private readonly VirtualTime _time = new();
    private readonly PoolByHand _pool = new();
    private readonly PoolGuard _guard;
    private TimeSpan _now;

    public PoolGuardTests() => _guard = new PoolGuard(_time, _pool);

    public void Dispose() => _guard.Dispose();

    [Fact]
    public void Before_the_first_question_there_is_no_delay()
    {
        Wait(5);
        Assert.Equal(0, Delay);
    }

    [Fact]
    public void It_asks_ten_times_a_second_and_looks_for_each_answer_soon()
    {
        Assert.Equal(10, RunDue());
        _pool.Answer();
        Wait(0.01);
        Assert.Equal(100, RunDue());
        Assert.Empty(_pool.Questions);

        Wait(0.09);
        Assert.Equal(110, RunDue());
        Assert.Single(_pool.Questions);
    }

    [Fact]
    public void Called_before_its_time_it_does_nothing()
    {
        RunDue();
        Wait(0.009);
        Assert.Equal(10, RunDue());
        Wait(0.001);
        Assert.Equal(20, RunDue());
    }

    [Fact]
    public void The_pool_starts_with_more_threads_and_loses_them_where_none_are_at_work()
    {
        Ask();
        _pool.Answer();
        Assert.True(_pool.IsRaised);
        Wait(1.9);
        Ask();
        _pool.Answer();
        Assert.True(_pool.IsRaised);

        Wait(0.1);
        Ask();
        Assert.False(_pool.IsRaised);
    }

    [Fact]
    public void What_is_at_work_from_the_start_keeps_them()
    {
        _pool.IsBusy = true;
        Ask();
        _pool.Answer();
        Wait(600);
        Ask();
        Assert.True(_pool.IsRaised);
        Assert.Equal(1, _pool.Raised);
    }

    [Fact]
    public void A_pool_that_the_system_gives_no_thread_is_late_until_it_has_one()
    {
        _pool.HasNoThread = true;
        RunDue();
        Wait(3);
        Assert.Equal(3, Delay);

        _pool.HasNoThread = false;
        _pool.Answer();
        Wait(3);
        Ask();
        Assert.Equal(3, Delay);
    }

    [Fact]
    public void The_delay_is_how_late_the_pool_answered()
    {
        Ask();
        Wait(3);
        _pool.Answer();
        Wait(10);
        Assert.Equal(3, Delay);
    }

    [Fact]
    public void A_prompt_answer_ends_an_earlier_delay()
    {
        Ask();
        Wait(3);
        _pool.Answer();
        Ask();
        _pool.Answer();
        Assert.Equal(0, Delay);
    }

    [Fact]
    public void While_the_pool_is_silent_the_delay_grows_and_it_is_asked_nothing_more()
    {
        Ask();
        Wait(2);
        Assert.Equal(2, Delay);
        RunDue();
        Wait(2);
        RunDue();
        Assert.Equal(4, Delay);
        Assert.Single(_pool.Questions);
    }

    [Fact]
    public void A_late_answer_counts_until_the_next_one_has_come_or_is_later_still()
    {
        Ask();
        Wait(3);
        _pool.Answer();
        Ask();
        Wait(2);
        Assert.Equal(3, Delay);
        Wait(2);
        Assert.Equal(4, Delay);
    }

    [Fact]
    public void A_pool_that_stays_silent_for_two_looks_gets_more_threads()
    {
        BeCalm();
        Ask();
        Wait(0.01);
        RunDue();
        Assert.False(_pool.IsRaised);
        Wait(0.01);
        RunDue();
        Assert.True(_pool.IsRaised);
    }

    [Fact]
    public void A_process_that_stood_still_does_not_take_its_pool_for_a_silent_one()
    {
        BeCalm();
        Ask();
        Wait(60);
        RunDue();
        _pool.Answer();
        Wait(0.01);
        RunDue();
        Assert.Single(_pool.Questions);

        // The next silence is another one.
        Wait(0.01);
        RunDue();
        Assert.False(_pool.IsRaised);
    }

    [Fact]
    public void The_pool_keeps_its_threads_for_five_minutes_after_the_last_silence()
    {
        BeSilent();
        _pool.Answer();
        Wait(200);
        BeSilent();
        _pool.Answer();
        Wait(299);
        Ask();
        _pool.Answer();
        Assert.True(_pool.IsRaised);

        Wait(1);
        Ask();
        Assert.False(_pool.IsRaised);
    }

    [Fact]
    public void A_pool_whose_threads_are_at_work_keeps_them()
    {
        BeSilent();
        _pool.Answer();
        _pool.IsBusy = true;
        Wait(600);
        Ask();
        _pool.Answer();
        Assert.True(_pool.IsRaised);

        _pool.IsBusy = false;
        Wait(1);
        Ask();
        Assert.False(_pool.IsRaised);
    }

    [Fact]
    public void A_pool_that_was_lowered_is_raised_again_when_it_is_silent_again()
    {
        BeSilent();
        _pool.Answer();
        Wait(300);
        Ask();
        _pool.Answer();
        Assert.False(_pool.IsRaised);
        BeSilent();
        Assert.Equal(2, _pool.Raised);
    }

    [Fact]
    public void Whatever_is_at_work_its_end_takes_them_back()
    {
        _pool.IsBusy = true;
        Ask();
        _guard.Dispose();
        Assert.False(_pool.IsRaised);
    }

    [Fact]
    public void What_somebody_else_has_raised_is_left_to_him()
    {
        _pool.IsRaised = true;
        BeSilent();
        _pool.Answer();
        Wait(600);
        Ask();
        Assert.True(_pool.IsRaised);
    }

    [Fact]
    public void Asking_allocates_nothing()
    {
        Ask();
        _pool.Answer();

        Assert.Equal(0, Allocated.By(() =>
        {
            Ask();
            _pool.Answer();
        }));
    }

    private double Delay => _guard.Delay.TotalSeconds;

    private void Wait(double seconds)
    {
        _time.Advance(TimeSpan.FromSeconds(seconds));
        _now += TimeSpan.FromSeconds(seconds);
    }

    // When it wants to be called again, in milliseconds since the start.
    private double RunDue() => ((ITimedWork)_guard).RunDue(_now).TotalMilliseconds;

    // Called early it does nothing: so it is called when it wants to be, until it asks.
    private void Ask()
    {
        while (_pool.Questions.Count == 0)
            _now = ((ITimedWork)_guard).RunDue(_now) is var next && _pool.Questions.Count == 0 ? next : _now;
    }

    // The start is over, and it has no more threads than it needs.
    private void BeCalm()
    {
        Ask();
        _pool.Answer();
        Wait(2);
        Ask();
        _pool.Answer();
    }

    private void BeSilent()
    {
        Ask();
        for (var look = 0; look < 2; look++)
        {
            Wait(0.01);
            RunDue();
        }
    }

    private sealed class PoolByHand : IPool
    {
        public Queue<IThreadPoolWorkItem> Questions { get; } = new(4);

        public bool HasNoThread { get; set; }

        public bool IsBusy { get; set; }

        public bool IsRaised { get; set; }

        public int Raised { get; private set; }

        public void Queue(IThreadPoolWorkItem item)
        {
            Questions.Enqueue(item);
            if (HasNoThread)
                throw new InsufficientMemoryException();
        }

        public void Answer() => Questions.Dequeue().Execute();

        public bool TryRaise()
        {
            if (IsRaised)
                return false;
            Raised++;
            return IsRaised = true;
        }

        public bool TryLower()
        {
            IsRaised &= IsBusy;
            return !IsRaised;
        }

        public void Lower() => IsRaised = false;
    }
}
