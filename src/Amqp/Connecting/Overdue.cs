namespace Holdfast.Amqp;

/// <summary>What a look at the clock may find.</summary>
internal enum Overdue
{
    Nothing,

    /// <summary>The peer must hear of us.</summary>
    Beat,

    /// <summary>The peer owes an answer, and should be asked for a sign of life.</summary>
    Question,

    /// <summary>The peer has not been heard of for too long.</summary>
    Silence,

    /// <summary>The peer took too long to open, or to close.</summary>
    TimeIsUp,
}
