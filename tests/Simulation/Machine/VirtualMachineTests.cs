using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation.Machine;

public sealed class VirtualMachineTests : IDisposable
{
    private readonly List<string> _log = [];
    private readonly VirtualMachine _machine = new(cores: 2);

    public void Dispose() => _machine.Dispose();

    [Fact]
    public void A_burn_occupies_its_thread_while_others_go_on()
    {
        Start("a", () => Burn(10), () => Note("a burnt"), () => Burn(10), () => Note("a done"));
        Start("b", () => Burn(5), () => Note("b done"));
        using var timer = At(12, () => Note("timer"));

        Run(100);

        Assert.Equal(["5 b done", "10 a burnt", "12 timer", "20 a done"], _log);
    }

    [Fact]
    public void What_runs_on_no_thread_burns_on_nobodys()
    {
        Start("a", () => Burn(10), () => Note("a"));
        using var timer = At(5, () => Assert.Throws<InvalidOperationException>(() => Burn(100)));

        Run(100);

        Assert.Equal(["10 a"], _log);
    }

    [Fact]
    public void More_burning_threads_than_cores_share_them_evenly()
    {
        Start("a", () => Burn(10), () => Note("a"));
        Start("b", () => Burn(10), () => Note("b"));
        Start("c", () => Burn(20), () => Note("c"));
        Start("d", () => Burn(20), () => Note("d"));

        Run(100);

        // At half the speed until two are done, then alone with a core each.
        Assert.Equal(["20 a", "20 b", "30 c", "30 d"], _log);
    }

    [Fact]
    public void Neighbours_take_their_share_of_the_cores_that_a_process_has_to_itself()
    {
        var process = _machine.NewProcess(cores: 2);
        process.Neighbours = 2;
        process.Start("a", () => Array.ForEach<Action>([() => Burn(10), () => Note("a")], act => act()));
        process.Start("b", () => Array.ForEach<Action>([() => Burn(20), () => Note("b")], act => act()));
        Start("c", () => Burn(10), () => Note("c"));
        using var timer = At(29, () => process.Neighbours = 0);

        Run(100);

        // At half the speed while there are four on two cores, at two thirds with three of them, and alone from there on.
        Assert.Equal(["10 c", "20 a", "33 b"], _log);
    }

    [Fact]
    public void Sleeping_threads_take_no_core()
    {
        for (var i = 0; i < 10; i++)
            Start($"{i}", () => _machine.Sleep(Seconds(10)));
        Start("a", () => Burn(10), () => Note("a"));

        Run(100);

        Assert.Equal(["10 a"], _log);
    }

    [Fact]
    public void A_signal_lets_the_first_waiting_thread_go_and_is_kept_where_none_waits()
    {
        var signal = new VirtualSignal(_machine);
        Start("a", () => signal.Wait(), () => Note("a"), () => signal.Wait(), () => Note("a again"));
        Start("b", () => Note($"b {signal.Wait(Seconds(2))}"), () => Note($"b {signal.Wait(Seconds(100))}"));
        Start("c", () => _machine.Sleep(Seconds(5)), signal.Set, () => _machine.Sleep(Seconds(1)), signal.Set, signal.Set);

        Run(100);

        Assert.Equal(["2 b False", "5 a", "6 b True", "6 a again"], _log);
    }

    [Fact]
    public void A_halted_process_stands_still_and_goes_on_where_it_was()
    {
        var process = _machine.NewProcess();
        process.Start("a", () =>
        {
            Burn(10);
            Note("a");
        });
        using var own = process.Time.CreateTimer(_ => Note("own timer"), null, Seconds(5), Timeout.InfiniteTimeSpan);
        using var halt = At(4, process.Halt);
        using var alien = At(5, () => Note("other timer"));
        using var resume = At(24, process.Resume);

        Run(100);

        Assert.Equal(["5 other timer", "24 own timer", "30 a"], _log);
    }

    [Fact]
    public void Nothing_of_a_killed_process_goes_on()
    {
        var process = _machine.NewProcess();
        var signal = new VirtualSignal(_machine);
        VirtualThread[] threads =
        [
            process.Start("a", () => Doomed(() => Burn(10))),
            process.Start("b", () => Doomed(() => _machine.Sleep(Seconds(10)))),
            process.Start("c", () => Doomed(() => signal.Wait())),
        ];
        using var own = process.Time.CreateTimer(_ => Note("timer"), null, Seconds(5), Timeout.InfiniteTimeSpan);
        using var kill = At(4, process.Kill);

        Run(100);

        Assert.Equal(["4 ended", "4 ended", "4 ended"], _log);
        Assert.All(threads, thread => Assert.True(thread.HasEnded));

        void Doomed(Action wait)
        {
            try
            {
                wait();
                Note("went on");
            }
            catch (VirtualThreadEndedException)
            {
                Note("ended");
                throw;
            }
        }
    }

    [Fact]
    public void The_ties_of_one_seed_are_broken_the_same_way_each_time()
    {
        var orders = Enumerable.Range(0, 40).Select(seed => Order(seed % 20)).ToArray();

        Assert.Equal(orders[..20], orders[20..]);
        Assert.InRange(orders.Distinct().Count(), 10, 20);

        static string Order(int seed)
        {
            using var machine = new VirtualMachine(ties: new Random(seed));
            var order = "";
            foreach (var name in "abcdef")
            {
                machine.Start($"{name}", () =>
                {
                    machine.Burn(Seconds(1));
                    order += name;
                });
            }

            machine.Run(Seconds(2));
            return order;
        }
    }

    [Fact]
    public void Whoever_burns_off_the_machine_is_told_so()
    {
        using var timer = At(1, () => Burn(1));

        var fault = Assert.Throws<InvalidOperationException>(() => Run(2));

        Assert.Contains("Only a virtual thread", fault.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => Burn(1));
    }

    private static TimeSpan Seconds(double seconds) => TimeSpan.FromSeconds(seconds);

    private void Burn(double seconds) => _machine.Burn(Seconds(seconds));

    private void Run(double seconds) => _machine.Run(Seconds(seconds));

    private void Note(string what) => _log.Add($"{_machine.Time.Elapsed.TotalSeconds} {what}");

    private ITimer At(double seconds, Action act) => _machine.Time.CreateTimer(_ => act(), null, Seconds(seconds), Timeout.InfiniteTimeSpan);

    private void Start(string name, params Action[] acts) => _machine.Start(name, () => Array.ForEach(acts, act => act()));
}
