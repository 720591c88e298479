using System.Runtime.Versioning;
using Holdfast.Consumer;
using Holdfast.Worker.Exec;
using Holdfast.Worker.Hosting;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class ExecSettingsTests
{
    [Fact]
    public void Without_a_command_there_is_nothing_to_run() =>
        Assert.Equal(
            ["Worker__Exec__Command: It is not set; set the program that handles messages, such as /app/handle."],
            Reading.Mistakes("Worker__Handler=Exec"));

    [Theory]
    [InlineData("no-such-program-anywhere")]
    [InlineData("/no/such/program")]
    [InlineData("/etc/passwd")]
    [InlineData("/")]
    public void A_command_that_can_not_be_run_is_told_at_the_start(string command) =>
        Assert.StartsWith(
            $"Worker__Exec__Command: '{command}' is not a program that can be run; set one that is there",
            Assert.Single(Reading.Mistakes("Worker__Handler=Exec", $"Worker__Exec__Command={command}")));

    [Fact]
    [UnsupportedOSPlatform("windows")]
    public void A_command_that_others_may_execute_but_not_this_user_is_told_too()
    {
        Assert.SkipWhen(Environment.IsPrivilegedProcess, "Root may execute what anybody may.");
        var file = Path.GetTempFileName();
        try
        {
            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.GroupExecute | UnixFileMode.OtherExecute);
            Assert.Null(Executable.Find(file));

            File.SetUnixFileMode(file, UnixFileMode.UserRead | UnixFileMode.UserExecute);
            Assert.Equal(file, Executable.Find(file));
        }
        finally
        {
            File.Delete(file);
        }
    }

    [Fact]
    public void Every_mistake_is_told_at_once()
    {
        var mistakes = Reading.Mistakes(
            "Worker__Handler=exec", "Worker__Exec__Command=sh", "Worker__Exec__Arguments=-c 'x", "Worker__Exec__WorkingDirectory=/no/such", "Worker__Exec__Processes=0",
            "Worker__Exec__Timeout=0s", "Worker__Exec__Grace=2m", "Worker__Exec__Delay=0s", "Worker__Exec__LogLines=-1");

        Assert.Equal(
            ["Worker__Exec__Arguments", "Worker__Exec__WorkingDirectory", "Worker__Exec__Processes", "Worker__Exec__Timeout", "Worker__Exec__Grace", "Worker__Exec__Delay", "Worker__Exec__LogLines"],
            mistakes.Select(mistake => mistake.Split(':')[0]));
    }

    [Fact]
    public void Another_handlers_command_need_not_be_there() =>
        Assert.Null(Reading.Read("Worker__Exec__Processes=0").Queues[0].Handling.Exec.Command);

    [Fact]
    public void A_program_is_found_on_the_path_or_from_where_it_is_to_work()
    {
        Assert.Equal("/bin/sh", Executable.Find("/bin/sh"));
        Assert.EndsWith("/sh", Executable.Find("sh"));
        Assert.Equal("/bin/sh", Executable.Find("./sh", "/bin"));
        Assert.Equal("/bin/sh", Executable.Find("bin/sh", "/"));
    }

    [Fact]
    public void No_more_messages_are_taken_than_there_are_processes_for()
    {
        var services = new ServiceCollection();
        services.AddWorker(Reading.Read("Worker__Handler=Exec", "Worker__Exec__Command=sh", "Worker__Exec__Processes=3"));

        var queue = services.Select(service => service.ImplementationInstance).OfType<QueueRegistration>().Single();

        Assert.Equal(3, queue.Options.MaxConcurrency);
    }
}
