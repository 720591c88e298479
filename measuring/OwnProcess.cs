using System.Diagnostics;
using System.Reflection;

namespace Holdfast.Measuring;

/// <summary>A program in a process of its own, so that nothing of ours spoils what it measures; it ends with whoever started it.</summary>
internal static class OwnProcess
{
    /// <summary>Starts it with those arguments; where <paramref name="enter"/> is given, that command is started and becomes it.</summary>
    public static Process Start(Assembly program, string[] arguments, string[]? enter = null, params (string Name, string Value)[] settings)
    {
        string[] command = [.. enter ?? [], .. CommandOf(program.Location), .. arguments];
        var start = new ProcessStartInfo(command[0], command[1..]) { RedirectStandardInput = true, RedirectStandardOutput = true };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }

    /// <summary>Ends this process once its parent is gone, or wants it to.</summary>
    public static void EndWithParent() =>
        new Thread(static () =>
        {
            Console.OpenStandardInput().ReadByte();
            Environment.Exit(0);
        })
        { IsBackground = true, Name = "parent" }.Start();

    // Its own executable lies beside it, unless it was built without one.
    private static string[] CommandOf(string assembly)
    {
        var executable = Path.ChangeExtension(assembly, OperatingSystem.IsWindows() ? ".exe" : null);
        return File.Exists(executable) ? [executable] : ["dotnet", assembly];
    }
}
