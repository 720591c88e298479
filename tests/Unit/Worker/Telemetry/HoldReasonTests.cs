using Holdfast.Consumer;
using Holdfast.Tests.Servers;

namespace Holdfast.Tests.Unit.Worker.Telemetry;

/// <summary>Whoever asks why nothing is taken finds every answer where he looks.</summary>
public sealed class HoldReasonTests
{
    private const string Panel = "grafana/src/flow.mjs";
    private const string Runbook = "docs/runbooks/slots-saturated.md";

    [Fact]
    public void The_panel_tells_what_each_reason_means() =>
        Assert.All(Reasons(), reason => Assert.Matches($@"says: 'Why nothing more is taken.*\b{reason}: ", Read(Panel)));

    [Fact]
    public void The_runbook_names_each_reason() =>
        Assert.All(Reasons(), reason => Assert.Matches($@"`holdfast_admission_holding` \(.*\b{reason}\b.*\)", Read(Runbook)));

    [Fact]
    public void The_runbook_tells_what_to_do_about_each() =>
        Assert.All(Reasons(), reason => Assert.Matches($"`{reason}`", Read(Runbook).Split("## What to do\n")[1]));

    private static string[] Reasons() => [.. Enum.GetValues<HoldReason>().Select(Names.Of)];

    private static string Read(string path) => File.ReadAllText(SourceTree.Find(path));
}
