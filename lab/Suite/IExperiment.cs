namespace Holdfast.Lab;

/// <summary>One published experiment: it is run again here, and shows its figures beside ours.</summary>
internal interface IExperiment
{
    /// <summary>What it is called on the command line, in the page and in its charts' names.</summary>
    string Name { get; }

    /// <summary>The question that it answers, in a sentence.</summary>
    string About { get; }

    /// <summary>Runs all of it. It may be left behind when it is to stop, so it keeps nothing that only its end would tidy up.</summary>
    Task<Report> RunAsync(Scope scope, IProgress<Step> progress, CancellationToken cancel);
}
