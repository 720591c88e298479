using System.Text;
using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ShortTextTests
{
    // What a byte that is no UTF-8 is read as.
    private const string Strange = "\ufffd";

    [Theory]
    [InlineData("")]
    [InlineData("order-1")]
    [InlineData(null)]
    public void A_text_that_is_short_stays_as_it_is(string? text) => Assert.Equal(text, ShortText.Fit(text));

    [Theory]
    [InlineData("a", 255)]
    [InlineData("\u00fc", 127)]
    [InlineData(Strange, 85)]
    public void So_does_one_that_just_fits(string letter, int letters) => Assert.Equal(Of(letter, letters), ShortText.Fit(Of(letter, letters)));

    [Theory]
    [InlineData("a", 256)]
    [InlineData("\u00fc", 128)]
    [InlineData("\ud83d\ude00", 64)]
    [InlineData(Strange, 255)]
    public void A_longer_one_is_cut_between_two_letters_and_told_by_a_hash_of_all_of_it(string letter, int letters)
    {
        var (text, other) = (Of(letter, letters) + "1", Of(letter, letters) + "2");

        var cut = ShortText.Fit(text);

        Assert.Matches($"^({letter})+~[0-9a-f]{{16}}$", cut);
        Assert.InRange(Encoding.UTF8.GetByteCount(cut), 250, 255);
        Assert.Equal(cut, ShortText.Fit(text));
        Assert.Equal(cut, ShortText.Fit(cut));
        Assert.NotEqual(cut, ShortText.Fit(other));
    }

    private static string Of(string letter, int letters) => string.Concat(Enumerable.Repeat(letter, letters));
}
