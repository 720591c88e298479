using System.CommandLine;

namespace Holdfast.Lab;

/// <summary>What the command line may say.</summary>
internal sealed class Arguments
{
    private const string DefaultFolder = "docs";

    // Slower, and a part would not end in the time that it is given; faster, and locks would be shorter than a machine's hiccups.
    private const int LeastFaster = 8;
    private const int MostFaster = 50;

    private readonly IExperiment[] _all;
    private readonly Argument<string[]> _names = new("NAME") { Arity = ArgumentArity.ZeroOrMore };
    private readonly Option<bool> _real = new("--real") { Description = "Run in real time what else runs in virtual time (leases)." };
    private readonly Option<int> _faster = new("--faster") { Description = $"How many times faster it is then run ({LeastFaster} to {MostFaster}, {Scope.Default.Faster} without it).", DefaultValueFactory = _ => Scope.Default.Faster };
    private readonly Option<int> _seed = new("--seed") { Description = "What all that is random is drawn from (leases).", DefaultValueFactory = _ => Scope.Default.Seed };
    private readonly Option<bool> _quick = new("--quick") { Description = "Only see that all of it runs; writes no page, unless --output names a folder." };
    private readonly Option<string?> _output = new("--output") { Description = $"The folder for lab.md and its charts, {DefaultFolder} without it." };
    private readonly RootCommand _root;

    public Arguments(IExperiment[] all)
    {
        _all = all;
        _names.Description = $"The experiments to run, all of them without one: {string.Join(", ", all.Select(one => one.Name))}.";
        _root = new RootCommand("Published experiments on asynchronous C#, run again here, and what Holdfast does about them.") { _names, _real, _faster, _seed, _quick, _output };
    }

    /// <summary>What is to be run; null where the answer was given already, and its exit code beside it.</summary>
    public (Order? Order, int ExitCode) Read(string[] arguments, TextWriter output, TextWriter error)
    {
        var parsed = _root.Parse(arguments);

        // An action that is not the command's own: the help, the version.
        if (parsed.Errors.Count == 0 && parsed.Action is { } action && action != _root.Action)
            return (null, parsed.Invoke(new() { Output = output, Error = error }));

        if (Problem(parsed, arguments) is { } problem)
        {
            error.WriteLine(problem);
            WriteChoice(error);
            return (null, ExitCode.Misused);
        }

        var names = parsed.GetValue(_names)!;
        var scope = new Scope { IsReal = parsed.GetValue(_real), Faster = parsed.GetValue(_faster), Seed = parsed.GetValue(_seed), IsQuick = parsed.GetValue(_quick) };
        return (new(names.Length > 0 ? Named(names) : _all, scope, Folder(parsed)), ExitCode.Ran);
    }

    // In the order of the page, whatever the order asked for.
    private IExperiment[] Named(string[] names) => Array.FindAll(_all, one => names.Contains(one.Name));

    private string? Folder(ParseResult parsed) => parsed.GetValue(_output) ?? (parsed.GetValue(_quick) ? null : DefaultFolder);

    private string? Problem(ParseResult parsed, string[] arguments)
    {
        if (Array.Find(arguments, one => one.StartsWith('-') && !IsOption(one)) is { } unknown)
            return $"'{unknown}' is no option.";
        if (NotWhole(parsed, _seed) is { } noSeed)
            return noSeed;
        if (NotWhole(parsed, _faster) is { } noFaster)
            return noFaster;
        if (parsed.Errors is [var first, ..])
            return first.Message;
        if (parsed.GetValue(_faster) is < LeastFaster or > MostFaster)
            return $"{_faster.Name}: {parsed.GetValue(_faster)} is not from {LeastFaster} to {MostFaster}.";
        if (Array.Find(parsed.GetValue(_names)!, name => !Array.Exists(_all, one => one.Name == name)) is { } stranger)
            return $"'{stranger}' is no experiment.";
        return Folder(parsed) is { } folder && !Directory.Exists(folder)
            ? $"--output: there is no folder '{folder}'; make it, or run this from the repository's own folder."
            : null;
    }

    private static string? NotWhole(ParseResult parsed, Option<int> option) => parsed.GetResult(option) switch
    {
        { Tokens: [var written] } result when result.Errors.Any() => $"{option.Name}: '{written.Value}' is no whole number, or too large a one.",
        { } result when result.Errors.Any() => $"{option.Name} needs a value.",
        _ => null,
    };

    private bool IsOption(string argument)
    {
        var name = argument.Split('=', ':')[0];
        return int.TryParse(name, out _) || _root.Options.Any(option => option.Name == name || option.Aliases.Contains(name));
    }

    private void WriteChoice(TextWriter error)
    {
        error.WriteLine("Experiments:");
        foreach (var one in _all)
            error.WriteLine($"  {one.Name,-10} {one.About}");
        error.WriteLine("Options:");
        foreach (var option in _root.Options)
            error.WriteLine($"  {option.Name,-10} {option.Description}");
    }
}
