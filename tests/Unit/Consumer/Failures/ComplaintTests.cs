using Holdfast.Consumer;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class ComplaintTests
{
    [Theory]
    [InlineData("It is full.", "It is full.", true)]
    [InlineData("It is full at 10:15 (id 7f3).", "It is full at 11:02 (id a09).", true)]
    [InlineData("It is full.", "It is gone.", false)]
    [InlineData("It is full of 1000.", "It is full of messages.", false)]
    [InlineData("It is full.", "It is full again.", false)]
    [InlineData(null, "It is full.", false)]
    public void It_is_the_same_whenever_it_was_and_under_whatever_number(string? before, string now, bool isSame) =>
        Assert.Equal(isSame, Complaint.IsSame(before, now));
}
