using System.Text;
using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class ConfirmationTests : IDisposable
{
    private readonly StringWriter _terminal = new();

    public void Dispose() => _terminal.Dispose();

    [Theory]
    [InlineData("y\n", true)]
    [InlineData(" Yes \r\n", true)]
    [InlineData("n\n", false)]
    [InlineData("\n", false)]
    [InlineData("yesterday\n", false)]
    public async Task Only_a_yes_is_one(string typed, bool isYes)
    {
        Assert.Equal(isYes, await AskAsync(new MemoryStream(Encoding.UTF8.GetBytes(typed)), default));
        Assert.Equal("Go on? [y/N] ", _terminal.ToString());
    }

    [Fact]
    public async Task Who_answers_nothing_says_no_and_the_line_is_ended()
    {
        Assert.False(await AskAsync(new MemoryStream(), default));
        Assert.Equal($"Go on? [y/N] {Environment.NewLine}", _terminal.ToString());
    }

    [Fact]
    public async Task Who_is_told_to_stop_waits_for_no_answer_and_the_line_is_ended()
    {
        using var stop = new CancellationTokenSource();
        var asking = AskAsync(new IdlePipe([]), stop.Token);
        Assert.False(asking.IsCompleted);

        await stop.CancelAsync();

        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => asking.WaitAsync(TimeSpan.FromSeconds(30)));
        Assert.Equal($"Go on? [y/N] {Environment.NewLine}", _terminal.ToString());
    }

    private Task<bool> AskAsync(Stream keyboard, CancellationToken cancel) => new Confirmation(_terminal, () => keyboard).AskAsync("Go on?", cancel);
}
