using System.Text;
using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class OutputLogTests
{
    private readonly List<string> _logged = [];

    [Fact]
    public void Lines_are_logged_however_they_come_in_pieces()
    {
        var log = new OutputLog(10, _logged.Add);

        foreach (var piece in new[] { "on", "e\ntwo\r\nth", "ree" })
            log.Add(Encoding.UTF8.GetBytes(piece));
        log.End();

        Assert.Equal(["one", "two", "three"], _logged);
    }

    [Fact]
    public void So_many_lines_are_logged_and_the_rest_is_counted()
    {
        var log = new OutputLog(2, _logged.Add);

        log.Add("one\ntwo\nthree\n"u8);
        log.Add("four"u8);
        log.End();

        Assert.Equal(["one", "two"], _logged[..2]);
        Assert.StartsWith("(10 bytes more are not logged", Assert.Single(_logged[2..]));
    }

    [Fact]
    public void The_next_message_has_as_many_lines_again()
    {
        var log = new OutputLog(1, _logged.Add);

        log.Add("one\n"u8);
        log.End();
        log.Add("two\n"u8);
        log.End();

        Assert.Equal(["one", "two"], _logged);
    }

    [Fact]
    public void What_was_said_of_one_message_is_not_the_last_word_on_the_next()
    {
        var log = new OutputLog(10, _logged.Add);
        log.Add("card declined\nand"u8);

        log.Begin();

        Assert.Equal("", log.LastWords);
        Assert.Equal(["card declined", "and"], _logged);
        log.Add("gone"u8);
        log.End();
        Assert.Equal("gone", log.LastWords);
    }

    [Fact]
    public void A_line_without_an_end_is_cut_and_the_rest_counted()
    {
        var log = new OutputLog(10, _logged.Add);

        for (var i = 0; i < 100; i++)
            log.Add(Encoding.UTF8.GetBytes(new string('x', 1_000)));
        log.End();

        Assert.Equal(new string('x', 1_000), _logged[0]);
        Assert.StartsWith("(99000 bytes more", Assert.Single(_logged[1..]));
    }

    [Fact]
    public void Nothing_that_moves_a_terminals_cursor_comes_through()
    {
        var log = new OutputLog(10, _logged.Add);

        log.Add("\u001b[2Jred\u0007\n"u8);

        Assert.Equal(["\\u001b[2Jred\\u0007"], _logged);
        Assert.Equal("\\u001b[2Jred\\u0007", log.LastWords);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(100)]
    public void The_last_words_are_the_last_thousand_bytes_logged_or_not(int lines)
    {
        var log = new OutputLog(lines, _logged.Add);

        log.Add(Encoding.UTF8.GetBytes(new string('a', 5_000)));
        log.Add(Encoding.UTF8.GetBytes(new string('b', 600)));
        log.Add("the end\n"u8);
        log.End();

        Assert.Equal(new string('a', 392) + new string('b', 600) + "the end", log.LastWords);
    }

    [Fact]
    public void The_last_words_are_bounded_though_they_are_escaped()
    {
        var log = new OutputLog(0, _logged.Add);

        log.Add(Encoding.UTF8.GetBytes(new string('\u001b', 1_000) + "the end"));

        Assert.EndsWith("\\u001bthe end", log.LastWords);
        Assert.InRange(log.LastWords.Length, 1_000, 1_003);
    }
}
