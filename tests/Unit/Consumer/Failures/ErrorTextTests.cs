using Holdfast.Broker;
using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class ErrorTextTests
{
    [Fact]
    public void What_wraps_another_tells_of_that_too() =>
        Assert.Equal(
            "InvalidOperationException: Saving failed. <- IOException: The connection broke. <- TimeoutException: No answer.",
            ErrorText.WithType(new InvalidOperationException("Saving failed.", new IOException("The connection broke.", new TimeoutException("No answer.")))));

    [Fact]
    public void What_it_says_already_is_not_said_again()
    {
        var inner = new IOException("The connection broke.");

        Assert.Equal("Can't save: The connection broke.", ErrorText.WithCauses(new InvalidOperationException($"Can't save: {inner.Message}", inner)));
        Assert.Equal("One or more errors occurred. (The connection broke.)", ErrorText.WithCauses(new AggregateException(inner)));
    }

    [Fact]
    public void A_cancellation_is_no_cause_and_what_a_broker_says_is_all_there_is_to_say()
    {
        Assert.Equal("Too slow.", ErrorText.WithCauses(new TimeoutException("Too slow.", new OperationCanceledException())));
        Assert.Equal("The queue is gone.", ErrorText.WithCauses(new BrokerException("The queue is gone.", isTransient: false, new IOException("404"))));
    }

    [Fact]
    public void Of_a_text_that_never_ends_the_beginning_is_told()
    {
        var text = ErrorText.WithType(new InvalidOperationException(new string('x', 1_000_000), new IOException(new string('y', 1_000_000))));

        Assert.StartsWith("InvalidOperationException: xxx", text, StringComparison.Ordinal);
        Assert.Contains("x... <- IOException: yyy", text, StringComparison.Ordinal);
        Assert.InRange(text.Length, 4_000, 4_300);
    }

    [Fact]
    public void Of_a_long_chain_the_first_five_are_told()
    {
        Exception chain = new InvalidOperationException("0");
        for (var i = 1; i < 10; i++)
            chain = new InvalidOperationException($"<{i}>", chain);

        Assert.Equal(6, ErrorText.WithCauses(chain).Split("<-").Length);
    }
}
