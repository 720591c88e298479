namespace Holdfast.Lab;

/// <summary>What is to be run, and into which folder its page and charts go; null writes none.</summary>
internal sealed record Order(IExperiment[] Experiments, Scope Scope, string? Folder);
