using System.Text.Json.Serialization;

namespace Holdfast.Consumer;

/// <summary>A delivery that failed, as its message's history tells of it.</summary>
/// <param name="At">When, in UTC.</param>
/// <param name="Delivery">Which delivery it was, from 1.</param>
/// <param name="Attempts">How often the handler ran.</param>
/// <param name="Exception">The type of what it threw last.</param>
/// <param name="Message">What that said.</param>
/// <param name="Worker">The machine that it ran on.</param>
/// <param name="Trace">The id of its trace; null where none was recorded. What its sender did not trace has another one for each delivery.</param>
internal sealed record FailedDelivery(
    DateTime At, int Delivery, int Attempts, string Exception, string Message, string Worker, [property: JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)] string? Trace = null);
