using System.Collections;
using System.Text.Json;
using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>Where settings are read from, with or without a worker.</summary>
internal static class SettingSources
{
    // With an environment's name or without: all that goes wrong with such a file names it.
    private const string FileName = "appsettings";

    /// <summary>The file that settings may stand in, beside the environment.</summary>
    public const string File = $"{FileName}.json";

    /// <summary>What the host's own settings start with in the environment.</summary>
    public const string Prefix = "ASPNETCORE_";

    /// <summary>The settings as a worker reads them, from the same sources in the same order, without a worker.</summary>
    /// <exception cref="InvalidOptionsException">A file can't be read, or the environment says different things of one setting, or names one wrongly.</exception>
    public static IConfiguration Read() => Reading(() =>
    {
        var first = new ConfigurationManager();
        first.AddInMemoryCollection([new("hostBuilder:reloadConfigOnChange", "false")]).AddEnvironmentVariables(Prefix);
        return Host.CreateApplicationBuilder(new HostApplicationBuilderSettings
        {
            Configuration = first,
            EnvironmentName = first[HostDefaults.EnvironmentKey],
        }).Configuration;
    });

    /// <summary>Does what reads the settings, and says of a file that can't be read which it is, where it is broken, and why.</summary>
    /// <exception cref="InvalidOptionsException">A file can't be read, or the environment says different things of one setting, or names one wrongly.</exception>
    public static T Reading<T>(Func<T> read)
    {
        // Of what follows nobody could say what it was read from, or why it was not.
        OptionError[] wrong = [.. EnvironmentRules.Broken([.. Variables()])];
        if (wrong.Length > 0)
            throw new InvalidOptionsException(wrong);

        try
        {
            return read();
        }
        catch (Exception problem) when (problem is InvalidDataException or IOException or UnauthorizedAccessException && problem.Message.Contains(FileName, StringComparison.Ordinal))
        {
            throw new InvalidOptionsException([new(File, $"{problem.Message}{Cause(problem.GetBaseException(), problem)} Mend the file, or let the user that this runs as read it.")]);
        }
    }

    private static IEnumerable<KeyValuePair<string, string>> Variables() =>
        Environment.GetEnvironmentVariables().Cast<DictionaryEntry>().Select(variable => KeyValuePair.Create((string)variable.Key, (string?)variable.Value ?? ""));

    private static string Cause(Exception cause, Exception problem) => cause switch
    {
        JsonException { LineNumber: { } line, BytePositionInLine: { } position } => $" Line {line + 1}, position {position + 1}: {cause.Message.Split(" LineNumber:")[0]}",
        _ when cause != problem => $" {cause.Message}",
        _ => "",
    };
}
