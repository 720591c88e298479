using Holdfast.Amqp;

namespace Holdfast.Tests.Unit.Amqp;

public sealed class TypeTests
{
    [Fact]
    public void A_symbol_is_what_it_says()
    {
        Symbol symbol = "amqp:not-found";

        Assert.Equal("amqp:not-found", symbol.ToString());
        Assert.True(symbol == new Symbol("amqp:not-found"));
        Assert.True(symbol != "amqp:internal-error");
        Assert.Equal("", default(Symbol).Value);
        Assert.Equal(default, new Symbol(""));
    }

    [Fact]
    public void A_timestamp_beyond_the_calendar_is_its_first_or_last_instant()
    {
        var time = new DateTimeOffset(2026, 1, 2, 3, 4, 5, 6, TimeSpan.Zero);

        Assert.Equal(time, AmqpTimestamp.From(time).ToDateTimeOffset());
        Assert.Equal(9999, new AmqpTimestamp(long.MaxValue).ToDateTimeOffset().Year);
        Assert.Equal(1, new AmqpTimestamp(long.MinValue).ToDateTimeOffset().Year);
    }

    [Fact]
    public void Keys_of_a_map_are_told_apart_by_type_and_binary_ones_by_their_bytes()
    {
        var map = new AmqpMap { [1u] = "uint", [1ul] = "ulong", ["a"] = "string", [new Symbol("a")] = "symbol", [new byte[] { 1, 2 }] = "binary" };

        Assert.Equal("uint", map[1u]);
        Assert.Equal("ulong", map[1ul]);
        Assert.Equal("string", map["a"]);
        Assert.Equal("symbol", map[new Symbol("a")]);
        Assert.Equal("binary", map[new byte[] { 1, 2 }]);
    }

    [Fact]
    public void Keys_that_were_made_to_have_one_hash_have_many()
    {
        object[] alike = [.. Enumerable.Range(0, 1000).Select(n => (object)(((long)n << 32) | (long)n))];
        Assert.Single(alike.Select(key => key.GetHashCode()).Distinct());

        Assert.InRange(alike.Select(KeyComparer.Instance.GetHashCode).Distinct().Count(), 990, 1000);
    }

    [Fact]
    public void Zeros_of_either_sign_are_one_key() =>
        Assert.Equal(KeyComparer.Instance.GetHashCode(0.0), KeyComparer.Instance.GetHashCode(-0.0));
}
