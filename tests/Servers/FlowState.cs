namespace Holdfast.Tests.Servers;

/// <summary>The states of one direction.</summary>
internal enum FlowState
{
    Flowing,
    Swallowing,
    Stalled,
}
