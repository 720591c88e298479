using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;
using Microsoft.Extensions.Configuration;

namespace Holdfast.Tests.Unit.Worker.Settings;

/// <summary>Reads settings written as a person sets them in the environment.</summary>
internal static class Reading
{
    public static WorkerSettings Read(params string[] set)
    {
        // One source each, so that what is set twice counts the last time.
        var builder = new ConfigurationBuilder();
        foreach (var pair in set.Select(s => s.Split('=', 2)))
            builder.AddInMemoryCollection([new(pair[0].Replace("__", ":"), pair[1])]);
        return WorkerSettings.Read(builder.Build());
    }

    /// <summary>What the terminal is told is wrong with them.</summary>
    public static string[] Mistakes(params string[] set)
    {
        using var error = new StringWriter();
        var code = Run.Explain(Assert.Throws<InvalidOptionsException>(() => Read(set)), error);
        Assert.Equal(ExitCode.Misconfigured, code);
        return error.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);
    }
}
