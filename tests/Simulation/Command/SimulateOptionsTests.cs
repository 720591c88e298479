namespace Holdfast.Tests.Simulation.Command;

public sealed class SimulateOptionsTests
{
    [Fact]
    public void Numbers_are_read() =>
        Assert.Equal(new SimulateOptions(5, 7, 9), SimulateOptions.Parse(["--seeds", "5", "--from", "7", "--seed", "9"]));

    [Theory]
    [InlineData("--sed", "1")]
    [InlineData("--seed", "one")]
    [InlineData("--seeds", "0")]
    [InlineData("--from", "-1")]
    [InlineData("--seeds", "99999999999")]
    [InlineData("--seed")]
    [InlineData("--from", "2147483647", "--seeds", "2")]
    public void What_is_wrong_is_named_and_ends_with_exit_code_2(params string[] arguments)
    {
        var wrong = Assert.Throws<ArgumentException>(() => SimulateOptions.Parse(arguments));

        Assert.Contains(arguments[0], wrong.Message, StringComparison.Ordinal);
        Assert.Equal(2, Simulate.Run(arguments));
    }
}
