using Holdfast.Lab.Awaits;
using Holdfast.Lab.Inline;
using Holdfast.Lab.Leases;
using Holdfast.Lab.Syncio;
using Holdfast.Lab.Throttle;

namespace Holdfast.Lab;

/// <summary>All experiments, in the order in which they are run and shown.</summary>
internal static class Catalog
{
    public static IExperiment[] All { get; } = [new LeasesExperiment(), new AwaitsExperiment(), new ThrottleExperiment(), new SyncioExperiment(), new InlineExperiment()];

    /// <summary>What experiments measure in processes of their own.</summary>
    public static IOwnPart[] Parts { get; } = [LeasesExperiment.Part, AwaitsExperiment.Part, ThrottleExperiment.Part, SyncioExperiment.Part, InlineExperiment.Part];
}
