using System.Reflection;
using System.Runtime.Loader;

namespace Holdfast.Tests.Simulation.Mutants;

/// <summary>A second set of the engine's and the simulator's assemblies, one of them replaced.</summary>
internal sealed class MutantContext(string? replaced) : AssemblyLoadContext("mutant")
{
    /// <summary>Plays worlds there until a rule is broken, and says which; null where none is.</summary>
    public string? Play(int first, int count)
    {
        var simulator = LoadFromAssemblyName(new AssemblyName("Holdfast.Tests.Worlds")).GetType("Holdfast.Tests.Worlds.Simulator", throwOnError: true)!;
        var play = simulator.GetMethod("FirstBroken", BindingFlags.Public | BindingFlags.Static)!;
        return (string?)play.Invoke(null, [first, count]);
    }

    protected override Assembly? Load(AssemblyName assemblyName)
    {
        if (assemblyName.Name?.StartsWith("Holdfast.", StringComparison.Ordinal) != true)
            return null;
        var file = $"{assemblyName.Name}.dll";
        return LoadFromAssemblyPath(Path.GetFileName(replaced) == file ? replaced! : Path.Combine(AppContext.BaseDirectory, file));
    }
}
