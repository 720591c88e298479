namespace Holdfast.Tests.Simulation.Command;

/// <summary>What a person asks for on the command line.</summary>
internal sealed record SimulateOptions(long Seeds, int From, int? Seed)
{
    public const string Help = """
        simulate [--seeds N] [--from SEED] [--seed SEED]
          --seeds N     play N worlds, on all cores (10000 unless told)
          --from SEED   the first of their seeds (random unless told; printed)
          --seed SEED   play one world, and tell its story
        """;

    private const long DefaultSeeds = 10_000;
    private const int MostRandom = 1_000_000_000;

    /// <summary>Throws an <see cref="ArgumentException"/> that says what is wrong.</summary>
    public static SimulateOptions Parse(ReadOnlySpan<string> arguments)
    {
        var options = new SimulateOptions(DefaultSeeds, Random.Shared.Next(MostRandom), null);
        for (var i = 0; i < arguments.Length; i += 2)
        {
            var value = i + 1 < arguments.Length ? arguments[i + 1] : null;
            options = arguments[i] switch
            {
                "--seeds" => options with { Seeds = Number(arguments[i], value, 1) },
                "--from" => options with { From = (int)Number(arguments[i], value, 0) },
                "--seed" => options with { Seed = (int)Number(arguments[i], value, 0) },
                var other => throw new ArgumentException($"There is no option '{other}'."),
            };
        }

        if (options.From + options.Seeds - 1 > int.MaxValue)
            throw new ArgumentException($"--from and --seeds lead beyond {int.MaxValue}, the last seed there is.");
        return options;
    }

    private static long Number(string option, string? value, long least) =>
        long.TryParse(value, out var number) && number >= least && number <= int.MaxValue
            ? number
            : throw new ArgumentException($"{option} wants a whole number from {least} to {int.MaxValue}, not '{value}'.");
}
