namespace Holdfast.Worker.Http;

/// <summary>A certificate was found wanting. The message says in what, the rest what helps.</summary>
internal sealed class UntrustedException(string message) : Exception(message)
{
    /// <summary>Whether none of the authorities to trust has signed it.</summary>
    public bool IsOfNobodyKnown { get; init; }

    /// <summary>Whether it names other hosts.</summary>
    public bool IsMisnamed { get; init; }
}
