using System.Diagnostics;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>What is started for a message, as the settings say; they have been found right.</summary>
internal sealed class ExecCommand(ExecOptions options)
{
    /// <summary>Starts a program as the first of a session, and so of a process group, of its own: .NET can't.</summary>
    public const string SessionStarter = "setsid";

    private readonly string _starter = Executable.Find(SessionStarter)!;
    private readonly string _program = Executable.Find(options.Command!, options.WorkingDirectory)!;
    private readonly IReadOnlyList<string> _arguments = ArgumentText.Split(options.Arguments ?? "");

    public ProcessStartInfo Start(IEnumerable<KeyValuePair<string, string>> variables)
    {
        var start = new ProcessStartInfo(_starter, [_program, .. _arguments])
        {
            WorkingDirectory = options.WorkingDirectory ?? "",
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            RedirectStandardError = true,
        };
        foreach (var name in start.Environment.Keys.Where(OwnVariables.Contain).ToArray())
            start.Environment.Remove(name);
        foreach (var (name, value) in variables)
            start.Environment[name] = value;
        return start;
    }
}
