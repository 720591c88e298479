namespace Holdfast.Worker.Status;

/// <summary>What does not change while the worker runs.</summary>
/// <param name="Version">Of this program.</param>
/// <param name="Host">The machine, container or pod that it runs on.</param>
/// <param name="Broker">Which one, and where it is; without who logs in there.</param>
/// <param name="Handler">Who handles the messages.</param>
/// <param name="StartedAt">Since when it runs.</param>
/// <param name="Settings">In the order in which the code has them.</param>
/// <param name="Page">Which page belongs to it: one that was open before an upgrade is another.</param>
internal sealed record WorkerFacts(string Version, string Host, string Broker, string Handler, DateTimeOffset StartedAt, IReadOnlyList<ShownSetting> Settings, string Page);

/// <summary>A setting as a person would set it, with the value that is in effect.</summary>
internal sealed record ShownSetting(string Name, string Value);
