using System.Text.RegularExpressions;
using Holdfast.Consumer;
using Holdfast.Scheduling;
using Holdfast.Tests.Servers;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed partial class HelpTests
{
    [Fact]
    public void Each_default_in_the_help_is_the_real_one()
    {
        var told = Line().Matches(Help.Text);

        Assert.NotEmpty(told);
        Assert.All(told, line => Assert.Equal(Default(line.Groups["setting"].Value), line.Groups["default"].Value));
    }

    [Fact]
    public void Each_setting_of_a_queue_is_among_those_that_a_named_one_may_have()
    {
        var page = File.ReadAllText(SourceTree.Find("docs/settings.md"));
        var told = Name().Matches(page.Split("Every setting of a queue can stand there:")[1].Split(". ")[0]).Select(name => name.Groups["name"].Value);

        var real = typeof(QueueOptions).GetProperties().Select(option => option.PropertyType is { IsClass: true } type && type != typeof(string) ? $"{option.Name}__*" : option.Name);
        Assert.Equal(["Queue", "Handler", .. real], told);
    }

    private static string Default(string setting) =>
        new object[] { new WorkerOptions(), new HandlingOptions(), new HoldfastOptions(), new QueueOptions() }
            .Where(options => options.GetType().GetProperty(setting.Split("__")[0]) is not null)
            .Select(options => setting.Split("__").Aggregate<string, object?>(options, (value, name) => value!.GetType().GetProperty(name)!.GetValue(value)))
            .Select(value => value switch
            {
                null when setting == "Threads" => "the CPU quota, rounded down",
                int spare when setting == "MaxSpareThreads" && spare == Math.Max(256, 8 * CpuQuota.WorkerThreads) => "256, or 8 times Threads",
                null when setting == "ServiceBus__Sessions" => "found out",
                null => "none",
                bool yes => yes ? "true" : "false",
                TimeSpan { TotalDays: >= 1 } days => $"{days.TotalDays}d",
                TimeSpan { Seconds: 0, TotalMinutes: >= 1 } minutes => $"{minutes.TotalMinutes}m",
                _ => SettingValue.Show(value),
            })
            .Single();

    [GeneratedRegex(@"Worker__(?<setting>\w+) .*\((?<default>[^)]*)\)\r?$", RegexOptions.Multiline)]
    private static partial Regex Line();

    [GeneratedRegex("`(?<name>[^`]+)`")]
    private static partial Regex Name();
}
