using System.CommandLine;
using System.CommandLine.Parsing;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Commands;

/// <summary>What commands have in common, and how what is written there is read.</summary>
internal static class CommonOptions
{
    public const string JsonName = "--json";

    public static Option<string?> Queue() => new("--queue") { Description = "The queue, where it is not the one of Worker__Queue.", HelpName = "NAME" };

    public static Option<bool> Json() => new(JsonName) { Description = "Write JSON, a line for each thing." };

    public static Option<bool> Yes() => new("--yes") { Description = "Do not ask first." };

    public static Option<double?> Rate() => Positive<double>(new("--rate") { Description = "At most so many messages a second.", HelpName = "N" });

    public static Option<int?> Limit(string description) => Positive<int>(new("--limit") { Description = description, HelpName = "N" });

    public static Option<TimeSpan?> Duration(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "20s",
        CustomParser = result => (TimeSpan?)Read(result, typeof(TimeSpan)),
    };

    public static Option<KeyValuePair<string, string>[]> Properties(string description) => new("--property")
    {
        Description = description,
        HelpName = "NAME=VALUE",
        Arity = ArgumentArity.ZeroOrMore,
        CustomParser = result => [.. result.Tokens.Select(token => Pair(result, token.Value))],
    };

    public static Option<T?> Positive<T>(Option<T?> option)
        where T : struct, IComparable<T>
    {
        option.CustomParser = result =>
        {
            var value = (T?)Read(result, typeof(T));
            if (value is { } number && number.CompareTo(default) <= 0)
                result.AddError($"{option.Name}: {number} is out of range; give more than 0.");
            return value;
        };
        return option;
    }

    private static object? Read(ArgumentResult result, Type type)
    {
        var text = result.Tokens[0].Value;
        if (!SettingValue.TryRead(text, type, out var value))
            result.AddError($"{((OptionResult)result.Parent!).Option.Name}: '{text}' can't be read; give {SettingValue.Expected(type)}.");
        return value;
    }

    private static KeyValuePair<string, string> Pair(ArgumentResult result, string text)
    {
        var parts = text.Split('=', 2);
        if (parts is not [{ Length: > 0 }, _])
            result.AddError($"--property: '{text}' can't be read; give NAME=VALUE.");
        return new(parts[0], parts[^1]);
    }
}
