namespace Holdfast.Broker;

/// <summary>The four ways in which a held message can end.</summary>
public enum SettlementKind : byte
{
    Complete,
    Abandon,
    Delay,
    DeadLetter,
}
