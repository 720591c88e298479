using System.CommandLine;
using System.CommandLine.Parsing;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Commands;

/// <summary>What commands have in common, and how what is written there is read.</summary>
internal static class CommonOptions
{
    public const string JsonName = "--json";

    // A message in three hours: nobody waits for the next one longer, and no timer can for longer than 49 days.
    private const double LowestRate = 0.0001;

    // A hundred years: no broker keeps anything for longer, and every date that far away is one.
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(36_500);

    public static Option<string?> Queue(string name = "--queue", string description = "The queue, where it is not the one of Worker__Queue.")
    {
        var option = new Option<string?>(name) { Description = description, HelpName = "NAME" };
        // A variable of a script that is not set: a broker would be asked for a queue without a name, and may make one up.
        option.Validators.Add(result =>
        {
            if (result.Tokens is [{ Value: var queue }] && string.IsNullOrWhiteSpace(queue))
                result.AddError($"{name}: It is empty; name a queue, or leave it out.");
        });
        return option;
    }

    public static Option<bool> Json() => new(JsonName) { Description = "Write JSON, a line for each thing." };

    public static Option<bool> Yes() => new("--yes") { Description = "Do not ask first." };

    public static Option<double?> Rate() => new("--rate")
    {
        Description = "At most so many messages a second.",
        HelpName = "N",
        CustomParser = result =>
        {
            var value = Read<double>(result);
            if (value < LowestRate)
                result.AddError($"--rate: {result.Tokens[0].Value} is out of range; give {LowestRate} or more.");
            return value;
        },
    };

    public static Option<int?> Limit(string description) => Positive<int>(new("--limit") { Description = description, HelpName = "N" });

    public static Option<TimeSpan?> Duration(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "20s",
        CustomParser = result =>
        {
            var value = Read<TimeSpan>(result);
            if (value < TimeSpan.Zero || value > s_longest)
                result.AddError($"{name}: {result.Tokens[0].Value} is out of range; give 0s to {s_longest.TotalDays}d.");
            return value;
        },
    };

    public static Option<KeyValuePair<string, string>[]> Properties(string description) => new("--property")
    {
        Description = description,
        HelpName = "NAME=VALUE",
        Arity = ArgumentArity.OneOrMore,
        CustomParser = result => [.. result.Tokens.Select(token => Pair(result, token.Value)).GroupBy(pair => pair.Key, (name, pairs) => Only(result, name, [.. pairs]))],
    };

    public static Option<byte> Byte(string name, string description) => new(name)
    {
        Description = description,
        HelpName = "N",
        CustomParser = result => Read<byte>(result) ?? 0,
    };

    public static Option<T?> Positive<T>(Option<T?> option)
        where T : struct, IComparable<T>
    {
        option.CustomParser = result =>
        {
            var value = Read<T>(result);
            if (value is { } number && number.CompareTo(default) <= 0)
                result.AddError($"{option.Name}: {number} is out of range; give more than 0.");
            return value;
        };
        return option;
    }

    private static T? Read<T>(ArgumentResult result)
        where T : struct
    {
        var text = result.Tokens[0].Value;
        if (!SettingValue.TryRead(text, typeof(T), out var value))
            result.AddError($"{((OptionResult)result.Parent!).Option.Name}: '{text}' can't be read; give {SettingValue.Expected(typeof(T))}.");
        return (T?)value;
    }

    private static KeyValuePair<string, string> Only(ArgumentResult result, string name, KeyValuePair<string, string>[] pairs)
    {
        if (pairs.Length > 1)
            result.AddError($"--property: '{name}' is given several times; give each name once.");
        return pairs[0];
    }

    private static KeyValuePair<string, string> Pair(ArgumentResult result, string text)
    {
        var parts = text.Split('=', 2);
        if (parts is not [{ Length: > 0 }, _])
            result.AddError($"--property: '{text}' can't be read; give NAME=VALUE.");
        return new(parts[0], parts[^1]);
    }
}
