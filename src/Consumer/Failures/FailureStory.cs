using System.Globalization;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// Writes into a message that failed what became of its deliveries: so it is known through all waits at the broker, and the dead letter tells it.
/// All of it together stays below 16 KB, but for the properties that a handler adds. Decides only.
/// </summary>
internal static class FailureStory
{
    private const int LongestName = 256;
    private const int LongestNote = 512;

    // The policy's own are shorter, with all that they say beside the error.
    private const int LongestDescription = 2304;
    private const int LongestMessage = 2048;

    public static Settlement Tell(Settlement settlement, Delivery delivery, Exception? failure, int attempts, string? trace, TimeProvider time)
    {
        if (settlement.Kind is SettlementKind.Complete or SettlementKind.Abandon || (settlement.Kind == SettlementKind.Delay && failure is null))
            return settlement;

        var failures = FailureHistory.Of(delivery.Message);
        if (failure is not null)
        {
            failures.Add(new(
                time.GetUtcNow().UtcDateTime,
                delivery.DeliveryCount,
                attempts,
                TypeOf(failure),
                Excerpt.OneLine(ErrorText.WithCauses(failure), LongestNote),
                Environment.MachineName,
                trace));
        }

        var properties = new Dictionary<string, object?>(settlement.Properties);
        if (failures.Count > 0)
            properties[DeadLetterProperties.Failures] = FailureHistory.Write(failures);
        if (settlement.Kind != SettlementKind.DeadLetter)
            return settlement.With(properties);

        Close(properties, delivery, failure, failures, trace);
        return Shortened(settlement).With(properties);
    }

    // A broker's client may end its connection over what is too long for it, and with that the sends of all queues.
    private static Settlement Shortened(Settlement deadLetter) => Settlement.DeadLetter(
        Excerpt.Of(deadLetter.Reason ?? "", LongestName),
        Excerpt.Of(deadLetter.Description ?? "", LongestDescription));

    private static void Close(Dictionary<string, object?> properties, Delivery delivery, Exception? failure, List<FailedDelivery> failures, string? trace)
    {
        properties[DeadLetterProperties.Deliveries] = delivery.DeliveryCount;
        properties[DeadLetterProperties.Worker] = Environment.MachineName;
        if (trace is not null)
            properties[DeadLetterProperties.Trace] = trace;
        if (failures.Count > 0)
        {
            properties[DeadLetterProperties.FirstFailure] = Text(failures[0].At);
            properties[DeadLetterProperties.LastFailure] = Text(failures[^1].At);
        }

        if (failure is null)
            return;
        properties[DeadLetterProperties.Exception] = TypeOf(failure);
        properties[DeadLetterProperties.ExceptionMessage] = Excerpt.Of(ErrorText.WithCauses(failure), LongestMessage);
        if (StackText.Of(failure) is { } stack)
            properties[DeadLetterProperties.Stack] = stack;
    }

    private static string TypeOf(Exception failure) => Excerpt.Of(failure.GetType().FullName ?? failure.GetType().Name, LongestName);

    private static string Text(DateTime time) => time.ToString("O", CultureInfo.InvariantCulture);
}
