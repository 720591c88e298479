using System.Collections;
using System.Text;
using FsCheck;
using FsCheck.Fluent;
using Holdfast.Broker;
using RabbitMQ.Client;
using Headers = Holdfast.Broker.RabbitMq.Headers;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class HeadersTests
{
    private static readonly byte[] s_noText = [0xC3, 0x28];

    [Fact]
    public void Text_numbers_bytes_and_times_come_back_as_they_were() =>
        Prop.ForAll(Properties(depth: 0), value => Assert.Equal(value, ThereAndBack(value))).Check(Config.QuickThrowOnFailure.WithMaxTest(1000));

    [Fact]
    public void Tables_and_lists_come_back_with_all_that_is_in_them() =>
        Prop.ForAll(Properties(depth: 3), value => Assert.Equivalent(value, ThereAndBack(value), strict: true)).Check(Config.QuickThrowOnFailure.WithMaxTest(300));

    [Fact]
    public void What_AMQP_has_no_kind_for_but_text_becomes_text()
    {
        var id = Guid.NewGuid();

        Assert.Equal(id.ToString(), ThereAndBack(id));
        Assert.Equal("https://example.com/a", ThereAndBack(new Uri("https://example.com/a")));
        Assert.Equal(s_noText, ThereAndBack(new ReadOnlyMemory<byte>(s_noText)));
    }

    [Fact]
    public void What_a_header_can_hold_may_be_given_in_whatever_type_dotnet_has_for_it()
    {
        var instant = new DateTime(2026, 5, 4, 3, 2, 1, DateTimeKind.Utc);

        Assert.Equal(long.MaxValue, ThereAndBack((ulong)long.MaxValue));
        Assert.Equal(new DateTimeOffset(instant), ThereAndBack(instant));
        Assert.Equal(new DateTimeOffset(instant), ThereAndBack(instant.ToLocalTime()));
        Assert.Equal(new object[] { 1, 2 }, ThereAndBack(new List<int> { 1, 2 }));
        Assert.Equal(new object[] { "a", "b" }, ThereAndBack(new HashSet<string> { "a", "b" }));
        Assert.Equivalent(new Dictionary<string, object?> { ["a"] = 1L }, ThereAndBack(new Dictionary<string, ulong> { ["a"] = 1 }), strict: true);
        Assert.Equivalent(new Dictionary<string, object?> { ["a"] = new List<object?> { 7 } }, ThereAndBack(new Hashtable { ["a"] = new List<int> { 7 } }), strict: true);
    }

    [Fact]
    public void What_it_can_not_hold_is_told_with_what_to_make_of_it()
    {
        Tells(ulong.MaxValue, "18446744073709551615, which AMQP headers can't hold; make it text.");
        Tells(new DateTime(2026, 5, 4), "a DateTime of no zone (Kind), which AMQP headers can't hold; make it a DateTimeOffset.");
        Tells(new Dictionary<int, string> { [1] = "a" }, "a table in which a Int32 is a name, which AMQP headers can't hold; make the names text.");
        Tells(TimeSpan.FromSeconds(5), "a TimeSpan, which AMQP headers can't hold; make it text, a number, bytes, a time, a list or a table.");

        static void Tells(object value, string what) =>
            Assert.Equal($"The property p is {what}", Assert.Throws<BrokerException>(() => Headers.Write("p", new List<object?> { value })).Message);
    }

    [Fact]
    public void Bytes_that_are_no_text_stay_bytes() =>
        Assert.Equal(s_noText, Read(s_noText));

    [Theory]
    [InlineData(1_790_000_000_000)]
    [InlineData(long.MaxValue)]
    [InlineData(long.MinValue)]
    public void A_time_that_is_beyond_all_calendars_stays_a_number(long seconds) =>
        Assert.Equal(seconds, Read(new AmqpTimestamp(seconds)));

    [Fact]
    public void What_the_server_the_client_and_we_wrote_for_ourselves_is_not_shown()
    {
        var headers = new Dictionary<string, object?>
        {
            ["timestamp_in_ms"] = 1L,
            ["holdfast-deliveries"] = 2,
            ["x-dotnet-pub-seq-no"] = s_noText,
            ["mine"] = 3,
        };

        Assert.Equal("mine", Assert.Single(Headers.Read(headers, out _)).Key);
        Assert.Empty(Headers.Read(null, out _));
    }

    [Fact]
    public void A_property_that_does_not_fit_is_named_and_so_is_its_kind()
    {
        var nested = new Dictionary<string, object?> { ["inner"] = new List<object?> { new Version(1, 2) } };

        var problem = Assert.Throws<BrokerException>(() => Headers.Write("release", nested));

        Assert.False(problem.IsTransient);
        Assert.StartsWith("The property release is a Version, which AMQP headers can't hold;", problem.Message);
    }

    [Theory]
    [InlineData(double.NaN, "NaN")]
    [InlineData(double.PositiveInfinity, "Infinity")]
    [InlineData(float.NaN, "NaN")]
    [InlineData(float.NegativeInfinity, "-Infinity")]
    public void What_is_no_number_is_refused_for_good_wherever_it_stands_and_left_out_of_what_a_settlement_tells(object number, string shown)
    {
        var nested = new Dictionary<string, object?> { ["inner"] = new List<object?> { 0.5, number } };

        foreach (var value in new[] { number, nested })
        {
            var problem = Assert.Throws<BrokerException>(() => Headers.Write("score", value));
            Assert.Equal((false, $"The property score is {shown}, for which RabbitMQ has no number; make it text, or leave it out."), (problem.IsTransient, problem.Message));
            Assert.False(Headers.TryWrite("score", value, out _));
        }
    }

    [Theory]
    [InlineData("CC", "others", "a String")]
    [InlineData("BCC", 7, "a Int32")]
    [InlineData("CC", null, "empty")]
    public void Where_the_server_reads_whom_else_to_give_the_message_only_a_list_may_stand(string name, object? value, string shown)
    {
        var problem = Assert.Throws<BrokerException>(() => Headers.Write(name, value));

        Assert.False(problem.IsTransient);
        Assert.StartsWith($"The property {name} is {shown}, and RabbitMQ takes nothing there but a list of further queues", problem.Message);
        Assert.False(Headers.TryWrite(name, value, out _));
        Assert.Equal(["others"], (List<object?>)Headers.Write(name, new List<object?> { "others" })!);
        Assert.Equal(value, Headers.Write("cc", value));
    }

    [Theory]
    [InlineData(255, "a")]
    [InlineData(127, "\u00fc")]
    public void A_name_may_be_as_long_as_AMQP_has_room_for(int letters, string letter)
    {
        var name = string.Concat(Enumerable.Repeat(letter, letters));

        Assert.Equal(7, Headers.Write(name, 7));
        Assert.Equal(name, Assert.Single((Dictionary<string, object?>)Headers.Write("a", new Dictionary<string, object?> { [name] = 7 })!).Key);
    }

    [Theory]
    [InlineData(256, "a", 256, 50)]
    [InlineData(128, "\u00fc", 256, 50)]
    [InlineData(100_000, "a\ud83d\ude00", 500_000, 49)]
    public void A_longer_one_is_refused_for_good_wherever_it_stands_and_its_beginning_shown(int letters, string letter, int bytes, int shown)
    {
        var name = string.Concat(Enumerable.Repeat(letter, letters));
        var nested = new List<object?> { new Dictionary<string, object?> { ["inner"] = new Dictionary<string, object?> { [name] = 7 } } };

        foreach (var problem in new[] { Assert.Throws<BrokerException>(() => Headers.Write(name, 7)), Assert.Throws<BrokerException>(() => Headers.Write("outer", nested)) })
        {
            Assert.False(problem.IsTransient);
            Assert.Equal($"A property's name is {bytes} bytes long, and AMQP headers take 255; shorten it: {name[..shown]}...", problem.Message);
        }
    }

    [Fact]
    public void A_number_is_read_whatever_its_width()
    {
        foreach (var value in new object[] { (byte)7, (sbyte)7, (short)7, (ushort)7, 7, 7U, 7L })
            Assert.Equal(7, Headers.Number(new Dictionary<string, object?> { ["n"] = value }, "n"));
        foreach (var value in new object?[] { "7", 7.0, true, null })
            Assert.Null(Headers.Number(new Dictionary<string, object?> { ["n"] = value }, "n"));

        Assert.Null(Headers.Number(new Dictionary<string, object?>(), "n"));
        Assert.Null(Headers.Number(null, "n"));
    }

    [Fact]
    public void What_lies_too_deep_is_not_looked_into_so_that_whoever_reads_it_comes_to_an_end()
    {
        object? list = 7;
        for (var i = 0; i < 40; i++)
            list = i % 2 == 0 ? new List<object?> { list } : new Dictionary<string, object?> { ["a"] = list };

        var read = Read(list);

        var depth = 0;
        for (; read is not string; depth++)
            read = read is Dictionary<string, object?> table ? table["a"] : Assert.Single((List<object?>)read!);
        Assert.Equal((32, "(nested too deeply)"), (depth, read));
    }

    [Theory]
    [InlineData(4096, false)]
    [InlineData(4097, true)]
    public void Lists_and_tables_of_more_values_than_anybody_needs_are_not_looked_into_and_that_is_said(int values, bool areTooMany)
    {
        // The two headers, the table and what is in it are values, too.
        var list = Enumerable.Repeat<object?>(7, values - 4).Append(new Dictionary<string, object?> { ["deep"] = null }).ToList();
        var headers = new Dictionary<string, object?> { ["list"] = list, ["name"] = s_noText };

        var read = Headers.Read(headers, out _);

        Assert.Equal(areTooMany, read["list"] is "(too many values)");
        Assert.Equal(areTooMany, read.Any(header => header.Value is "(too many values)"));
        Assert.Equal(s_noText, read["name"]);
        Assert.Same(list, headers["list"]);
    }

    [Fact]
    public void Headers_weigh_what_they_take_in_memory()
    {
        var before = GC.GetAllocatedBytesForCurrentThread();
        var headers = Heavy(5_000);
        var taken = GC.GetAllocatedBytesForCurrentThread() - before;

        Headers.Read(headers, out var weight);

        Assert.InRange(weight, taken * 0.8, taken * 1.3);
    }

    [Fact]
    public void What_a_large_one_says_weighs_whatever_kind_it_is_of()
    {
        var headers = new Dictionary<string, object?> { ["text"] = new byte[100_000], ["binary"] = new BinaryTableValue(new byte[200_000]) };

        Headers.Read(headers, out var weight);

        Assert.InRange(weight, 300_000, 301_000);
    }

    [Fact]
    public void However_deep_they_lie_they_are_weighed()
    {
        object? list = s_noText;
        for (var i = 0; i < 100_000; i++)
            list = new List<object?> { list };

        Headers.Read(new Dictionary<string, object?> { ["x"] = list }, out var weight);

        Assert.InRange(weight, 5_000_000, 20_000_000);
    }

    [Fact]
    public void A_few_small_ones_weigh_next_to_nothing_and_to_find_that_out_takes_no_memory()
    {
        var headers = new Dictionary<string, object?> { ["traceparent"] = new byte[55], ["shop"] = 7, ["timestamp_in_ms"] = 1L };

        Assert.Equal(2, Headers.Read(headers, out var weight).Count);
        Assert.InRange(weight, 1, 700);
        Assert.InRange(Allocated.By(() => Headers.Read(headers, out _)), 0, 48);
    }

    [Fact]
    public void They_are_not_kept_twice()
    {
        var headers = Heavy(1_000);

        Assert.Equal(1_000, Assert.IsType<List<object?>>(Headers.Read(headers, out var weight)["x"]).Count);
        Assert.InRange(Allocated.By(() => Headers.Read(headers, out _)), 0, weight / 8);
    }

    [Fact]
    public void They_are_found_by_name_and_those_that_are_not_the_sender_s_are_not()
    {
        var read = Headers.Read(new Dictionary<string, object?> { ["mine"] = "text"u8.ToArray(), ["none"] = null, ["holdfast-deliveries"] = 2 }, out _);

        Assert.Equal(["mine", "none"], read.Keys);
        Assert.Equal(["text", null], read.Values);
        Assert.Equal(("text", null), (read["mine"], read["none"]));
        Assert.True(read.ContainsKey("mine") && read.TryGetValue("none", out _));
        Assert.False(read.ContainsKey("holdfast-deliveries") || read.TryGetValue("holdfast-deliveries", out _) || read.ContainsKey("other"));
        Assert.Throws<KeyNotFoundException>(() => read["holdfast-deliveries"]);
    }

    [Theory]
    [InlineData(-1L, 0)]
    [InlineData(long.MinValue, 0)]
    [InlineData(3L, 3)]
    [InlineData(long.MaxValue, 1_000_000)]
    public void A_count_can_always_be_counted_on(long written, int count) =>
        Assert.Equal(count, Headers.Count(new Dictionary<string, object?> { ["n"] = written }, "n"));

    // Seven bytes on the wire for each.
    private static Dictionary<string, object?> Heavy(int tables)
    {
        var list = new List<object?>(tables);
        for (var i = 0; i < tables; i++)
            list.Add(new Dictionary<string, object?> { [""] = null });
        return new() { ["x"] = list };
    }

    private static object? ThereAndBack(object? value) => Read(Wired(Headers.Write("a", value)));

    private static object? Read(object? value) => Headers.Read(new Dictionary<string, object?> { ["a"] = value }, out _)["a"];

    // What the client makes of it on the way: text arrives as its bytes.
    private static object? Wired(object? value) => value switch
    {
        string text => Encoding.UTF8.GetBytes(text),
        Dictionary<string, object?> table => table.ToDictionary(entry => entry.Key, entry => Wired(entry.Value)),
        List<object?> list => list.Select(Wired).ToList(),
        _ => value,
    };

    private static Arbitrary<object?> Properties(int depth) => Values(depth).ToArbitrary();

    private static Gen<object?> Values(int depth)
    {
        var number = Gen.Choose(int.MinValue, int.MaxValue);
        var simple = Gen.OneOf<object?>(
            Gen.Constant<object?>(null),
            Gen.Elements<object?>("", "grün", "日本", "a\0b", true, false, 0.1, float.MaxValue, 12.34m),
            number.Select(n => (object?)n),
            number.Select(n => (object?)((long)n << 20)),
            number.Select(n => (object?)(short)n),
            number.Select(n => (object?)(byte)n),
            number.Select(n => (object?)(sbyte)n),
            number.Select(n => (object?)BitConverter.GetBytes(n)),
            number.Select(n => (object?)DateTimeOffset.FromUnixTimeSeconds(n)));
        if (depth == 0)
            return simple;

        var items = Values(depth - 1).ArrayOf();
        return Gen.OneOf(
            simple,
            items.Select(all => (object?)all.ToList()),
            items.Select(all => (object?)all.Select((item, n) => KeyValuePair.Create($"k{n}", item)).ToDictionary()));
    }
}
