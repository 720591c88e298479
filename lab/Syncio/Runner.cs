namespace Holdfast.Lab.Syncio;

/// <summary>Who runs the handlers.</summary>
internal enum Runner
{
    Pool,

    /// <summary>The pool with as many threads from the start as a server's grows to in time.</summary>
    WidePool,

    /// <summary>The whole engine, with its leases.</summary>
    Holdfast,
}
