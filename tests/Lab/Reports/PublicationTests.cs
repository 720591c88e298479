using Holdfast.Lab;

namespace Holdfast.Tests.Lab.Reports;

public sealed class PublicationTests
{
    [Fact]
    public void An_experiment_that_is_run_again_replaces_only_its_own_section_and_charts()
    {
        using var folder = new TempFolder();
        var publication = new Publication(folder.Path);
        publication.Write(new FakeExperiment("first", FakeExperiment.Report("a")), FakeExperiment.Report("a", "one"));
        publication.Write(new FakeExperiment("second", FakeExperiment.Report("b")), FakeExperiment.Report("b", ""));
        var before = folder.Read("lab.md");

        publication.Write(new FakeExperiment("first", FakeExperiment.Report("a")), FakeExperiment.Report("c", "one"));

        Assert.Equal(before.Replace("| a | 1 |", "| c | 1 |"), folder.Read("lab.md"));
        Assert.Equal("<svg>c</svg>", folder.Read(Path.Combine("lab", "first-one.svg")));
        Assert.Equal("<svg>b</svg>", folder.Read(Path.Combine("lab", "second.svg")));
    }

    [Fact]
    public void Charts_are_found_from_the_page()
    {
        using var folder = new TempFolder();
        new Publication(folder.Path).Write(new FakeExperiment("first", FakeExperiment.Report("a")), FakeExperiment.Report("a", "one", "two"));

        Assert.Contains("(lab/first-one.svg)", folder.Read("lab.md"));
        Assert.All(["lab/first-one.svg", "lab/first-two.svg"], chart => Assert.True(File.Exists(Path.Combine(folder.Path, chart))));
    }

    [Fact]
    public void What_was_written_by_hand_before_the_sections_stays()
    {
        using var folder = new TempFolder();
        File.WriteAllText(Path.Combine(folder.Path, "lab.md"), "# Ours\n\nA word of our own.\n");

        new Publication(folder.Path).Write(new FakeExperiment("first", FakeExperiment.Report("a")), FakeExperiment.Report("a"));

        Assert.StartsWith("# Ours\n\nA word of our own.\n\n## first\n", folder.Read("lab.md"));
    }

    [Fact]
    public void Where_one_file_can_not_be_written_none_is()
    {
        using var folder = new TempFolder();
        var publication = new Publication(folder.Path);
        publication.Write(new FakeExperiment("first", FakeExperiment.Report("a")), FakeExperiment.Report("a", ""));
        var before = folder.Read("lab.md");

        // The chart's name leads to where no file can be.
        Assert.ThrowsAny<IOException>(() => publication.Write(new FakeExperiment("first", FakeExperiment.Report("b")), FakeExperiment.Report("b", "", "no/where")));

        Assert.Equal(["lab.md", Path.Combine("lab", "first.svg")], folder.Files);
        Assert.Equal(before, folder.Read("lab.md"));
        Assert.Equal("<svg>a</svg>", folder.Read(Path.Combine("lab", "first.svg")));
    }
}
