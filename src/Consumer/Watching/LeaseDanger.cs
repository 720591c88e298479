namespace Holdfast.Consumer;

/// <summary>How near a held lease is to being lost, from its trust alone.</summary>
public enum LeaseDanger
{
    /// <summary>As much trust is left as renewals in time leave.</summary>
    None,

    /// <summary>A renewal should have come back by now.</summary>
    Late,

    /// <summary>Little time is left for one to come.</summary>
    Near,

    /// <summary>It is lost, and its handler has not ended yet.</summary>
    Lost,
}
