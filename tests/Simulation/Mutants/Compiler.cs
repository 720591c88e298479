using System.Reflection;
using System.Runtime.Loader;

namespace Holdfast.Tests.Simulation.Mutants;

/// <summary>Compiles a mutant the way its project was compiled, with the SDK's own compiler.</summary>
internal sealed class Compiler
{
    private static readonly string s_root = Root();
    private static readonly string s_built = Path.Combine("obj", Configuration, "net10.0", "compiler.rsp");

    private static readonly string[] s_unneeded =
        ["/out:", "/refout:", "/doc:", "/pdb:", "/debug", "/embed", "/sourcelink:", "/warnaserror", "/additionalfile:", "/noconfig"];

    private MethodInfo? _main;

    private static string Configuration => new DirectoryInfo(AppContext.BaseDirectory).Parent!.Name;

    /// <summary>The mutant's assembly, in a file of that folder.</summary>
    public string Compile(Mutant mutant, string folder)
    {
        var project = Path.Combine(s_root, "src", mutant.Project);
        var built = Path.Combine(project, s_built);
        if (!File.Exists(built))
            throw new InvalidOperationException($"How {mutant.Project} was compiled is not known: build it anew (its compiler.rsp is missing).");

        var edited = Path.Combine(folder, "Edited.cs");
        File.WriteAllText(edited, mutant.Edit(File.ReadAllText(Path.Combine(project, mutant.File))));
        var assembly = Path.Combine(folder, $"Holdfast.{mutant.Project}.dll");
        var lines = File.ReadAllLines(built);
        string[] arguments =
        [
            "/noconfig",
            .. lines.Skip(1).Where(IsNeeded).Select(line => line == mutant.File ? edited : Absolute(line, project)),
            $"/out:{assembly}",
            "/warnaserror-",
            "/nowarn:CS0162",
        ];
        var output = new StringWriter();
        if (Run(lines[0], arguments, output) != 0)
            throw new InvalidOperationException($"'{mutant.Name}' does not compile:\n{output}");
        return assembly;
    }

    // Analyzers judge style; generators make code.
    private static bool IsNeeded(string line) =>
        !Array.Exists(s_unneeded, option => line.StartsWith(option, StringComparison.Ordinal))
        && (!line.StartsWith("/analyzer:", StringComparison.Ordinal) || line.Contains("Generat", StringComparison.Ordinal));

    private static string Absolute(string line, string project)
    {
        if (!line.StartsWith('/') || File.Exists(line))
            return Path.GetFullPath(line, project);
        foreach (var option in (string[])["/reference:", "/analyzer:", "/analyzerconfig:"])
        {
            if (line.StartsWith(option, StringComparison.Ordinal))
                return option + Path.GetFullPath(line[option.Length..].Trim('"'), project);
        }

        return line;
    }

    private int Run(string roslyn, string[] arguments, TextWriter output)
    {
        _main ??= Load(Path.Combine(roslyn, "bincore"));
        var before = Console.Out;
        Console.SetOut(output);
        try
        {
            return (int)_main.Invoke(null, [arguments])!;
        }
        finally
        {
            Console.SetOut(before);
        }
    }

    private static MethodInfo Load(string folder)
    {
        var context = new AssemblyLoadContext("csc");
        context.Resolving += (_, name) =>
            Path.Combine(folder, $"{name.Name}.dll") is var file && File.Exists(file) ? context.LoadFromAssemblyPath(file) : null;
        return context.LoadFromAssemblyPath(Path.Combine(folder, "csc.dll")).EntryPoint!;
    }

    private static string Root()
    {
        var folder = new DirectoryInfo(AppContext.BaseDirectory);
        while (!File.Exists(Path.Combine(folder.FullName, "Holdfast.slnx")))
            folder = folder.Parent ?? throw new InvalidOperationException("The broken variants are made of the sources, which are not here.");
        return folder.FullName;
    }
}
