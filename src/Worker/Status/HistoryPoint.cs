namespace Holdfast.Worker.Status;

/// <summary>One second in the charts.</summary>
/// <param name="At">Its end, in seconds of the engine's monotonic clock: the wall clock may be set back, and points must stay in their order.</param>
/// <param name="Received">Messages taken a second.</param>
/// <param name="Settled">Messages settled a second.</param>
/// <param name="LeastTrust">What was left of the trust in the lease that was to end first, in seconds; null where none was held.</param>
/// <param name="InHand">Messages in hand.</param>
internal readonly record struct HistoryPoint(double At, double Received, double Settled, double? LeastTrust, int InHand);
