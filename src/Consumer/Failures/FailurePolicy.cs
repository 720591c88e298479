using System.Text.Json;
using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What becomes of a message that can't be handled. Decides only.</summary>
internal sealed class FailurePolicy(RetryOptions options, AtLimit atLimit = AtLimit.Abandon)
{
    private const int LongestDescription = 2048;

    /// <summary>A message that was delivered too often already is put aside unseen: each time may have taken a whole process with it.</summary>
    public Settlement? BeforeHandling(Delivery delivery) =>
        delivery.DeliveryCount > options.MaxDeliveries
            ? Settlement.DeadLetter("max_deliveries", $"Delivered {delivery.DeliveryCount} times; at most {options.MaxDeliveries} are allowed (Retry__MaxDeliveries).")
            : null;

    public Settlement AfterFailure(Exception error, Delivery delivery, int attempts)
    {
        if (error is JsonException)
            return Settlement.DeadLetter("unreadable", Shorten($"The body can't be read: {error.Message}"));

        if (delivery.DeliveryCount >= options.MaxDeliveries)
        {
            return Settlement.DeadLetter(
                "handler_failed",
                Shorten($"{error.GetType().Name}: {error.Message} (delivery {delivery.DeliveryCount} of {options.MaxDeliveries}, attempt {attempts})"));
        }

        return Settlement.Delay(DelayAfter(delivery.DeliveryCount));
    }

    /// <summary>A message that is still being handled when the broker is about to let nobody hold it any longer.</summary>
    public Settlement AtLimit(Delivery delivery) => atLimit switch
    {
        Consumer.AtLimit.Delay => Settlement.Delay(DelayAfter(delivery.DeliveryCount)),
        Consumer.AtLimit.DeadLetter => Settlement.DeadLetter(
            "held_too_long",
            $"Still being handled when the broker's limit came near: nobody may hold a message for longer than {delivery.HoldLimit} (delivery {delivery.DeliveryCount}, Lease__AtLimit)."),
        _ => Settlement.Abandon,
    };

    private TimeSpan DelayAfter(int deliveries)
    {
        var doublings = Math.Min(deliveries - 1, 30);
        var delay = options.Delay.TotalSeconds * (1L << doublings);
        return delay < options.MaxDelay.TotalSeconds ? TimeSpan.FromSeconds(delay) : options.MaxDelay;
    }

    private static string Shorten(string description) =>
        description.Length <= LongestDescription ? description : description[..LongestDescription] + "...";
}
