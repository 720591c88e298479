namespace Holdfast.Consumer;

/// <summary>What becomes of a message that is still being handled when the broker is about to let nobody hold it any longer.</summary>
public enum AtLimit
{
    /// <summary>It is given back, to be delivered again at once.</summary>
    Abandon,

    /// <summary>It is given back, to be delivered again after the delay that follows a failure.</summary>
    Delay,

    /// <summary>It is put aside.</summary>
    DeadLetter,
}
