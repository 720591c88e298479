using System.ComponentModel;

namespace Holdfast.Worker.Exec;

/// <summary>Why the system started no process, for a person to read. Pure.</summary>
internal static class StartRefusal
{
    private const int TryAgain = 11; // EAGAIN
    private const int TooManyOfAll = 23; // ENFILE
    private const int TooManyOfOurs = 24; // EMFILE

    public static string Describe(Exception refused) => $"The command can't be started: {refused.Message}{Cure(refused)}";

    private static string Cure(Exception refused) => (refused as Win32Exception)?.NativeErrorCode switch
    {
        TooManyOfAll or TooManyOfOurs => ". Raise the limit of open files (ulimit -n), or lower Worker__Exec__Processes",
        TryAgain => ". Raise the limit of processes (ulimit -u, --pids-limit), or lower Worker__Exec__Processes",
        _ => "",
    };
}
