namespace Holdfast.Broker;

/// <summary>What became of one lease in a renewal.</summary>
public enum Renewal : byte
{
    /// <summary>No answer: the lease neither ends nor extends.</summary>
    Unknown,

    /// <summary>The broker keeps the message for us for another lock duration.</summary>
    Renewed,

    /// <summary>The broker has given the message up to others.</summary>
    Lost,

    /// <summary>The lease lived with a connection that is gone.</summary>
    Severed,
}
