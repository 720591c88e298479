namespace Holdfast.Consumer;

/// <summary>A lease that was lost while its message was still wanted.</summary>
/// <param name="At">When, by the wall clock.</param>
/// <param name="Queue">Which queue the message is of.</param>
/// <param name="MessageId">Which message.</param>
/// <param name="DeliveryCount">Which of its deliveries it was.</param>
/// <param name="Reason">Why, in the word that the metrics use.</param>
/// <param name="Held">How long it had been held.</param>
/// <param name="TraceId">The trace that it was handled in, where there is one.</param>
public sealed record LeaseMiss(DateTimeOffset At, string Queue, string MessageId, int DeliveryCount, string Reason, TimeSpan Held, string? TraceId);
