namespace Holdfast.Consumer;

/// <summary>One setting that can't be: its path (<c>Lease__MinMargin</c>), what is wrong with it and what would be right.</summary>
public sealed record OptionError(string Setting, string Problem);
