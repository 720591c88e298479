namespace Holdfast.Lab.Throttle;

/// <summary>So many items of so much CPU time each, in one piece or in turns with awaits between them, and what holds them back.</summary>
internal sealed record ThrottleQuestion(Throttling Throttling, bool IsAsync, int Items, double ItemMilliseconds, int Turns);
