using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class ArgumentTextTests
{
    [Theory]
    [InlineData("", new string[0])]
    [InlineData("   ", new string[0])]
    [InlineData("a bc\t d", new[] { "a", "bc", "d" })]
    [InlineData("""--name "Ada Lovelace" last""", new[] { "--name", "Ada Lovelace", "last" })]
    [InlineData("'it said \"no\"' x", new[] { "it said \"no\"", "x" })]
    [InlineData("""--name="Ada Lovelace"s""", new[] { "--name=Ada Lovelaces" })]
    [InlineData("a '' b", new[] { "a", "", "b" })]
    [InlineData("""$HOME *.txt | a\ b ; #""", new[] { "$HOME", "*.txt", "|", "a\\", "b", ";", "#" })]
    public void Blanks_part_arguments_and_quotes_hold_them_together(string line, string[] arguments) =>
        Assert.Equal(arguments, ArgumentText.Split(line));

    [Theory]
    [InlineData("a 'b c")]
    [InlineData("\"")]
    public void A_quote_that_is_not_closed_is_told(string line) =>
        Assert.Contains("is not closed; close it", Assert.Throws<FormatException>(() => ArgumentText.Split(line)).Message);
}
