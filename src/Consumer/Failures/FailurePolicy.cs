using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>What becomes of a message that can't be handled. Decides only.</summary>
internal sealed class FailurePolicy(RetryOptions options, AtLimit atLimit = AtLimit.Abandon)
{
    private const int LongestDescription = 2048;

    private readonly int _mostDeliveries = options.MostDeliveries;

    /// <summary>
    /// A message that was delivered too often already is put aside unseen: each time may have taken a whole process with it.
    /// So is one that the broker's client can't read.
    /// </summary>
    public Settlement? BeforeHandling(Delivery delivery)
    {
        if (delivery.Unreadable is { } why)
            return Settlement.DeadLetter(RetryOptions.Unreadable, why);
        return delivery.Tries > _mostDeliveries
            ? Settlement.DeadLetter("max_deliveries", $"Delivered {delivery.Tries} times; at most {_mostDeliveries} are allowed (Retry__MaxDeliveries).")
            : null;
    }

    public Settlement AfterFailure(Exception error, Delivery delivery, int attempts)
    {
        var terms = options.TermsFor(error);
        if (!terms.IsLast(delivery.Tries))
            return Later(terms, delivery);

        var where = terms.IsHopeless ? "" : $" (delivery {delivery.Tries} of {terms.MaxDeliveries}, attempt {attempts})";
        return Settlement.DeadLetter(
            terms.DeadLetterReason ?? "handler_failed",
            $"{Excerpt.Of(ErrorText.WithType(error), LongestDescription)}{where}");
    }

    /// <summary>Whether it is the message that is to blame, and not what its handler needs.</summary>
    public bool IsMessagesFault(Exception error) => options.TermsFor(error).IsHopeless;

    /// <summary>A message that is still being handled when the broker is about to let nobody hold it any longer.</summary>
    public Settlement AtLimit(Delivery delivery) => atLimit switch
    {
        Consumer.AtLimit.Delay => Later(options.Terms, delivery),
        Consumer.AtLimit.DeadLetter => Settlement.DeadLetter(
            "held_too_long",
            $"Still being handled when the broker's limit came near: nobody may hold a message for longer than {delivery.HoldLimit} (delivery {delivery.Tries}, Lease__AtLimit)."),
        _ => Settlement.Abandon,
    };

    // The broker may have been told of the queue's own delays, but not of those that a rule sets.
    private Settlement Later(RetryTerms terms, Delivery delivery)
    {
        var wait = terms.DelayAfter(delivery.Tries);
        return (terms.Delay, terms.MaxDelay) == (options.Delay, options.MaxDelay) ? Settlement.Retry(wait) : Settlement.Delay(wait);
    }
}
