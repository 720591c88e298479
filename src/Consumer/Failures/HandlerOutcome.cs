namespace Holdfast.Consumer;

/// <summary>What a message's handler came to, for a breaker that asks whether handlers can work at all.</summary>
internal enum HandlerOutcome
{
    /// <summary>It did its work, or found that the message is to blame.</summary>
    Handled,

    /// <summary>It threw, in each of its attempts.</summary>
    Failed,

    /// <summary>It gave its message back, for now or for later: it neither could nor couldn't.</summary>
    PutOff,
}
