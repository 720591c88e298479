using Holdfast.Consumer;
using Holdfast.Worker.Exec;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of the Exec handler, where that is the handler.</summary>
internal static class ExecRules
{
    private const int MostProcesses = 1_000;
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(24);
    private static readonly TimeSpan s_longestGrace = TimeSpan.FromMinutes(1);

    public static IEnumerable<OptionError> Broken(ExecOptions options) =>
        Command(options)
            .Concat(Rules.Read("Exec__Arguments", options.Arguments, ArgumentText.Split))
            .Concat(Rules.Must(options.WorkingDirectory is null || Directory.Exists(options.WorkingDirectory), "Exec__WorkingDirectory", $"'{options.WorkingDirectory}'", "not a directory that is there; set one that is, or leave it out"))
            .Concat(Rules.Must(options.Processes is >= 1 and <= MostProcesses, "Exec__Processes", options.Processes, $"out of range; set 1 to {MostProcesses}"))
            .Concat(Rules.Must(options.Timeout is not { } timeout || (timeout > TimeSpan.Zero && timeout <= s_longest), "Exec__Timeout", options.Timeout ?? default, "out of range; set more than 0s and at most 24d, or leave it out"))
            .Concat(Rules.Must(options.Grace >= TimeSpan.Zero && options.Grace <= s_longestGrace, "Exec__Grace", options.Grace, "out of range; set 0s to 1m"))
            .Concat(Rules.Must(options.Delay > TimeSpan.Zero && options.Delay <= s_longest, "Exec__Delay", options.Delay, "out of range; set more than 0s and at most 24d"))
            .Concat(Rules.Must(options.LogLines >= 0, "Exec__LogLines", options.LogLines, "out of range; set 0 or more"));

    private static IEnumerable<OptionError> Command(ExecOptions options)
    {
        if (string.IsNullOrWhiteSpace(options.Command))
            return [new("Exec__Command", "It is not set; set the program that handles messages, such as /app/handle.")];
        if (Executable.Find(options.Command, options.WorkingDirectory) is null)
            return [new("Exec__Command", $"'{options.Command}' is not a program that can be run; set one that is there, on the PATH or with its directory, and let the user that the worker runs as execute it (chmod +x).")];
        return Executable.Find(ExecCommand.SessionStarter) is null
            ? [new("Handler", $"Exec needs the program {ExecCommand.SessionStarter}, which is not on the PATH; install util-linux or BusyBox.")]
            : [];
    }
}
