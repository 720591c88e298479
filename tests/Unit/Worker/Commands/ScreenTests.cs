using Holdfast.Worker.Commands;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class ScreenTests
{
    [Theory]
    [InlineData(null, false)]
    [InlineData(1, false)]
    [InlineData(3, false)]
    [InlineData(39, false)]
    [InlineData(40, true)]
    public void Where_a_bar_has_no_room_none_is_drawn(int? columns, bool isDrawn) => Assert.Equal(isDrawn, On(columns, isJson: false).HasBar);

    [Fact]
    public void For_a_machine_none_is_drawn() => Assert.False(On(columns: 80, isJson: true).HasBar);

    [Fact]
    public void A_terminal_that_is_made_too_narrow_meanwhile_is_drawn_on_as_if_it_had_room()
    {
        var columns = 80;
        var output = new BarOutput(TextWriter.Null, () => columns);
        Assert.Equal(80, output.Width);

        columns = 3;
        Assert.Equal(40, output.Width);
    }

    private static Screen On(int? columns, bool isJson) => new(
        new Workbench
        {
            Output = TextWriter.Null,
            Error = TextWriter.Null,
            Columns = columns is { } there ? () => there : null,
            Configuration = () => throw new NotSupportedException(),
        },
        isJson);
}
