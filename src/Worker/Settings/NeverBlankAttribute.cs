namespace Holdfast.Worker.Settings;

/// <summary>Marks a setting that must say something once it is named: whoever leaves it blank believes that it protects him, or that he has named a queue.</summary>
[AttributeUsage(AttributeTargets.Property)]
internal sealed class NeverBlankAttribute : Attribute;
