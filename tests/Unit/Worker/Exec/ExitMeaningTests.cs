using Holdfast.Broker;
using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class ExitMeaningTests
{
    private static readonly TimeSpan s_delay = TimeSpan.FromSeconds(7);

    [Fact]
    public void Nothing_wrong_completes() =>
        Assert.Equal(Settlement.Complete, ExitMeaning.Of(0, "chatter", s_delay));

    [Fact]
    public void A_temporary_failure_delays() =>
        Assert.Equal(Settlement.Delay(s_delay), ExitMeaning.Of(75, "", s_delay));

    [Theory]
    [InlineData(65, "EX_DATAERR")]
    [InlineData(66, "EX_NOINPUT")]
    [InlineData(76, "EX_PROTOCOL")]
    [InlineData(77, "EX_NOPERM")]
    public void A_message_that_is_refused_is_put_aside_with_the_last_words(int code, string name) =>
        Assert.Equal(
            Settlement.DeadLetter("command_refused", $"The command ended with exit code {code} ({name}): no such customer"),
            ExitMeaning.Of(code, "no such customer", s_delay));

    [Theory]
    [InlineData(1, "exit code 1: oops")]
    [InlineData(64, "exit code 64: oops")]
    [InlineData(78, "exit code 78: oops")]
    [InlineData(126, "exit code 126 (it could not be run): oops")]
    [InlineData(127, "exit code 127 (it was not found): oops")]
    [InlineData(137, "exit code 137 (ended by signal 9): oops")]
    [InlineData(192, "exit code 192 (ended by signal 64): oops")]
    [InlineData(193, "exit code 193: oops")]
    [InlineData(255, "exit code 255: oops")]
    public void All_else_is_tried_again(int code, string told) =>
        Assert.Equal($"The command ended with {told}", Assert.Throws<CommandFailedException>(() => ExitMeaning.Of(code, "oops", s_delay)).Message);
}
