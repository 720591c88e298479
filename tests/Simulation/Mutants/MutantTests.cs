namespace Holdfast.Tests.Simulation.Mutants;

public sealed class MutantTests(ITestOutputHelper output)
{
    private const int Worlds = 1500;

    private static readonly Compiler s_compiler = new();

    public static TheoryData<string> Names => [.. Catalog.All.Select(mutant => mutant.Name)];

    [Theory]
    [MemberData(nameof(Names))]
    public void A_broken_engine_is_caught(string name)
    {
        var mutant = Array.Find(Catalog.All, mutant => mutant.Name == name)!;
        var caught = Play(folder => s_compiler.Compile(mutant, folder));

        Assert.True(caught is not null, $"{Worlds} worlds did not catch it.");
        output.WriteLine(caught);
    }

    [Fact]
    public void The_engine_as_it_is_is_not_caught_when_it_is_compiled_in_the_same_way()
    {
        var same = new Mutant("nothing is wrong", "Consumer", "Journey.cs", "internal sealed class Journey(", "internal sealed class Journey(");

        Assert.Null(Play(folder => s_compiler.Compile(same, folder)));
    }

    [Fact]
    public void An_edit_that_no_longer_applies_is_told()
    {
        var stale = new Mutant("stale", "Consumer", "Journey.cs", "This line is gone.", "");

        var problem = Assert.Throws<InvalidOperationException>(() => stale.Edit("class Journey;"));
        Assert.Contains("This line is gone.", problem.Message, StringComparison.Ordinal);
        Assert.Throws<InvalidOperationException>(() => stale.Edit("This line is gone. This line is gone."));
    }

    private static string? Play(Func<string, string> compile)
    {
        var folder = Directory.CreateTempSubdirectory("mutant-");
        try
        {
            return new MutantContext(compile(folder.FullName)).Play(first: 1, Worlds);
        }
        finally
        {
            folder.Delete(recursive: true);
        }
    }
}
