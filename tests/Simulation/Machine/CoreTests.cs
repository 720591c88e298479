using Holdfast.Virtual;

namespace Holdfast.Tests.Simulation.Machine;

public sealed class CoreTests
{
    private const string AllowedCores = "Cpus_allowed_list:";

    [Fact]
    public void Threads_that_carry_a_machine_stay_on_their_core_and_others_run_anywhere()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux lets a thread choose");
        var before = Cores();
        var of = new Dictionary<string, string>();
        using var carriers = new Carriers(core: 0);
        using var machine = new VirtualMachine(carriers: carriers);
        foreach (var name in (string[])["first", "second"])
        {
            machine.Start(name, () =>
            {
                machine.Burn(TimeSpan.FromMilliseconds(1));
                of[name] = Cores();
            });
        }

        machine.Run(TimeSpan.FromSeconds(1));

        Assert.Equal(2, of.Count);
        Assert.All(of.Values, cores => Assert.Equal(before.Split(',', '-')[0], cores));
        Assert.Equal(before, Cores());
    }

    [Fact]
    public void A_number_beyond_them_is_one_of_the_cores_there_are()
    {
        Assert.SkipUnless(OperatingSystem.IsLinux(), "only Linux lets a thread choose");
        var cores = "";
        var thread = new Thread(() =>
        {
            Core.Stay(int.MaxValue);
            cores = Cores();
        });
        thread.Start();
        thread.Join();

        Assert.True(int.TryParse(cores, out _), cores);
    }

    private static string Cores() =>
        File.ReadLines("/proc/thread-self/status").First(line => line.StartsWith(AllowedCores, StringComparison.Ordinal))[AllowedCores.Length..].Trim();
}
