namespace Holdfast.Consumer;

/// <summary>A lease is held until it ends one way: settled, or lost.</summary>
internal enum LeaseState
{
    Held,

    /// <summary>The settlement is on its way. The broker's answer decides, whatever a renewal says meanwhile.</summary>
    Settling,
    Settled,
    Lost,
}
