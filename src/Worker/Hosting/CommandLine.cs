namespace Holdfast.Worker.Hosting;

/// <summary>The command line, which only answers questions: all settings come from the environment or appsettings.json.</summary>
internal static class CommandLine
{
    /// <summary>Answers, and gives the exit code; null where nothing was asked and the worker is to run.</summary>
    public static int? Answer(string[] args, TextWriter output, TextWriter error)
    {
        switch (args)
        {
            case []:
                return null;
            case ["--help" or "-h"]:
                output.Write(Help.Text);
                return ExitCode.Stopped;
            case ["--version"]:
                output.WriteLine(Product.Version);
                return ExitCode.Stopped;
            default:
                error.WriteLine($"'{string.Join(' ', args)}' is no option; there are --help and --version. Settings come from the environment, such as Worker__Queue=orders.");
                return ExitCode.Misconfigured;
        }
    }
}
