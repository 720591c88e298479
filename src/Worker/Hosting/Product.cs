using System.Reflection;

namespace Holdfast.Worker.Hosting;

/// <summary>What this program is.</summary>
internal static class Product
{
    // What follows the plus is the commit, which is of no use to a reader.
    public static readonly string Version = typeof(Product).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];
}
