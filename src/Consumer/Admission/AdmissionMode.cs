namespace Holdfast.Consumer;

/// <summary>How the number of messages held at once is found.</summary>
public enum AdmissionMode
{
    /// <summary>Grow slowly while the machine keeps up, shrink at once when it does not.</summary>
    Adaptive,

    /// <summary>Always the most that is allowed.</summary>
    Fixed,
}
