using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.NoEmit;

namespace Holdfast.Lab.Awaits;

/// <summary>Measures the seven methods with BenchmarkDotNet, in a process that is nobody else's.</summary>
internal static class AwaitsMeasurement
{
    public static Task<AwaitsFinding[]> RunAsync(AwaitsQuestion question)
    {
        // It writes logs whether they are wanted or not.
        var artifacts = Directory.CreateTempSubdirectory("holdfast-awaits-");
        try
        {
            var summary = BenchmarkRunner.Run<AwaitsBenchmark>(Configure(question, artifacts.FullName));
            return Task.FromResult(summary.Reports.Select(Read).ToArray());
        }
        finally
        {
            artifacts.Delete(recursive: true);
        }
    }

    private static ManualConfig Configure(AwaitsQuestion question, string artifacts) => ManualConfig.CreateEmpty()
        .WithArtifactsPath(artifacts)
        .WithOptions(ConfigOptions.DisableOptimizationsValidator)
        .AddLogger(NullLogger.Instance)
        .AddColumnProvider(DefaultColumnProviders.Instance)
        .AddJob(Job.Default
            .WithToolchain(InProcessNoEmitToolchain.Instance)
            .WithWarmupCount(question.WarmUps)
            .WithIterationCount(question.Rounds)
            .WithInvocationCount(1)
            .WithUnrollFactor(1));

    private static AwaitsFinding Read(BenchmarkDotNet.Reports.BenchmarkReport report) => new(
        report.BenchmarkCase.Descriptor.WorkloadMethod.Name,
        (bool)report.BenchmarkCase.Parameters[nameof(AwaitsBenchmark.OnLane)],
        [.. report.ResultStatistics!.OriginalValues.Select(nanoseconds => nanoseconds / 1e6)]);
}
