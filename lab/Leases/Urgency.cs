namespace Holdfast.Lab.Leases;

/// <summary>What a continuation is for, the least urgent first.</summary>
internal enum Urgency
{
    None,
    Receive,
    Process,
    Refresh,
}
