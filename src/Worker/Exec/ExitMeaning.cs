using Holdfast.Broker;

namespace Holdfast.Worker.Exec;

/// <summary>What a command's exit code says of its message. The words are those of sysexits.h.</summary>
internal static class ExitMeaning
{
    public const string Refused = "command_refused";

    private const int TemporaryFailure = 75;

    // The shell's way to tell that a signal ended a process.
    private const int Signalled = 128;
    private const int LastSignal = 64;

    // What no later try can change, because it is the message that is wrong.
    private static readonly Dictionary<int, string> s_refusals = new()
    {
        [65] = "EX_DATAERR",
        [66] = "EX_NOINPUT",
        [76] = "EX_PROTOCOL",
        [77] = "EX_NOPERM",
    };

    /// <exception cref="CommandFailedException">It failed, and another try may do better.</exception>
    public static Settlement Of(int code, string lastWords, TimeSpan delay) => code switch
    {
        0 => Settlement.Complete,
        TemporaryFailure => Settlement.Delay(delay),
        _ when s_refusals.ContainsKey(code) => Settlement.DeadLetter(Refused, Describe(code, lastWords)),
        _ => throw new CommandFailedException(Describe(code, lastWords)),
    };

    public static string Describe(int code, string lastWords)
    {
        var meaning = s_refusals.TryGetValue(code, out var name) ? $" ({name})"
            : code is 126 ? " (it could not be run)"
            : code is 127 ? " (it was not found)"
            : code is > Signalled and <= Signalled + LastSignal ? $" (ended by signal {code - Signalled})"
            : "";
        return $"The command ended with exit code {code}{meaning}{(lastWords.Length > 0 ? ": " + lastWords : "")}";
    }
}
