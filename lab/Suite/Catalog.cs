namespace Holdfast.Lab;

/// <summary>All experiments, in the order in which they are run and shown.</summary>
internal static class Catalog
{
    public static IExperiment[] All { get; } = [];

    /// <summary>What experiments measure in processes of their own.</summary>
    public static IOwnPart[] Parts { get; } = [];
}
