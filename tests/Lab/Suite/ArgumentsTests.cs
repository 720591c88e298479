using Holdfast.Lab;

namespace Holdfast.Tests.Lab.Suite;

public sealed class ArgumentsTests : IDisposable
{
    private static readonly Report s_report = FakeExperiment.Report("a");
    private static readonly IExperiment[] s_all = [new FakeExperiment("first", s_report), new FakeExperiment("second", s_report)];

    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();

    [Fact]
    public void Without_a_name_all_experiments_are_run()
    {
        using var folder = new TempFolder();
        var (order, _) = Read("--output", folder.Path);

        Assert.Equal(s_all, order!.Experiments);
        Assert.Equal(new Scope { Seed = 1 }, order.Scope);
        Assert.Equal(folder.Path, order.Folder);
    }

    [Fact]
    public void Names_and_options_are_read_in_any_order()
    {
        var (order, _) = Read("--seed", "-7", "second", "--quick", "--real", "--faster", "10");

        Assert.Equal("second", Assert.Single(order!.Experiments).Name);
        Assert.Equal(new Scope { Seed = -7, IsQuick = true, IsReal = true, Faster = 10 }, order.Scope);
    }

    [Fact]
    public void What_was_run_can_be_said_again()
    {
        Assert.Equal("", Read("--output", ".").Order!.Scope.Options);
        Assert.Equal(" --real --faster 10 --seed -7 --quick", Read("--seed", "-7", "--quick", "--real", "--faster", "10").Order!.Scope.Options);
    }

    [Fact]
    public void Several_names_are_run_once_each_in_the_order_of_the_page()
    {
        var (order, _) = Read("--quick", "second", "first", "second");

        Assert.Equal(s_all, order!.Experiments);
    }

    [Fact]
    public void A_quick_run_writes_no_page_unless_told_where()
    {
        using var folder = new TempFolder();

        Assert.Null(Read("--quick").Order!.Folder);
        Assert.Equal(folder.Path, Read("--quick", "--output", folder.Path).Order!.Folder);
    }

    [Theory]
    [InlineData("'third' is no experiment.", "--quick", "third")]
    [InlineData("'third' is no experiment.", "--quick", "first", "third")]
    [InlineData("'--fast' is no option.", "--fast")]
    [InlineData("'-x' is no option.", "first", "-x")]
    [InlineData("--seed: 'soon' is no whole number", "--seed", "soon")]
    [InlineData("--seed: '3000000000' is no whole number, or too large", "--seed", "3000000000")]
    [InlineData("--seed needs a value.", "--seed")]
    [InlineData("--faster: 'much' is no whole number", "--faster", "much")]
    [InlineData("--faster: 7 is not from 8 to 50.", "--faster", "7")]
    [InlineData("--faster: 51 is not from 8 to 50.", "--faster", "51")]
    [InlineData("--output: there is no folder", "--output", "no/such/folder")]
    public void What_can_not_be_is_answered_with_what_can_and_exit_code_2(string problem, params string[] arguments)
    {
        var (order, exitCode) = Read(arguments);

        Assert.Null(order);
        Assert.Equal(2, exitCode);
        Assert.StartsWith(problem, $"{_error}");
        Assert.All(["first", "second", "--real", "--seed", "--quick", "--output"], right => Assert.Contains($"  {right} ", $"{_error}"));
        Assert.Empty($"{_output}");
    }

    [Fact]
    public void The_page_names_the_options_that_it_was_made_with()
    {
        Assert.Equal("", new Scope().Options);
        Assert.Equal(new Scope { IsReal = true, Faster = 40, Seed = 7, IsQuick = true }, Read($"--output . {new Scope { IsReal = true, Faster = 40, Seed = 7, IsQuick = true }.Options}".Split(' ', StringSplitOptions.RemoveEmptyEntries)).Order!.Scope);
    }

    [Fact]
    public void Help_is_no_error()
    {
        var (order, exitCode) = Read("--help");

        Assert.Null(order);
        Assert.Equal(0, exitCode);
        Assert.Contains("--seed", $"{_output}");
        Assert.Contains("first", $"{_output}");
        Assert.Empty($"{_error}");
    }

    public void Dispose()
    {
        _output.Dispose();
        _error.Dispose();
    }

    private (Order? Order, int ExitCode) Read(params string[] arguments) => new Arguments(s_all).Read(arguments, _output, _error);
}
