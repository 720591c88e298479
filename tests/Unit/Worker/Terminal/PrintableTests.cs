using Holdfast.Worker.Terminal;

namespace Holdfast.Tests.Unit.Worker.Terminal;

public sealed class PrintableTests
{
    [Theory]
    [InlineData("Zürich 漢字 😀", "Zürich 漢字 😀")]
    [InlineData("one\r\ntwo\u2028three", "one two three")]
    [InlineData("red\u001b[31m", "red\\u001b[31m")]
    [InlineData("turned\u202eround", "turned\\u202eround")]
    [InlineData("tagged\U000e0041", "tagged\\U000e0041")]
    public void Text_is_one_line_with_nothing_in_it_that_can_not_be_seen(string text, string line) =>
        Assert.Equal(line, Printable.OneLine(text));

    [Theory]
    [InlineData("abcdef", 6, "abcdef", "abcdef")]
    [InlineData("abcdef", 3, "abc...", "...def")]
    [InlineData("ab😀cd", 3, "ab...", "...cd")]
    public void Text_is_cut_at_either_end_but_not_within_a_character(string text, int most, string beginning, string end) =>
        Assert.Equal((beginning, end), (Printable.Cut(text, most), Printable.CutBeginning(text, most)));
}
