using Holdfast.Tests.Servers.ServiceBus;
using Spectre.Console;

namespace Holdfast.Bench;

/// <summary>Runs a case, part by part, and puts its table together.</summary>
internal sealed class Runner(IAnsiConsole console, Scale scale, RabbitServer server)
{
    public Task<Sheet> RunAsync(Case one) =>

        // Without its own refresh: a spinner that turns would take CPU from what is measured.
        console.Status().AutoRefresh(false).StartAsync(one.Name, status => RunAsync(one, status));

    private async Task<Sheet> RunAsync(Case one, StatusContext status)
    {
        var sheet = new Sheet(one, scale.IsQuick);
        if (one.NeedsRabbitMq && await server.TryStartAsync() is { } problem)
        {
            sheet.Notes.Add($"left out: {problem}");
            return sheet;
        }

        if (one.NeedsServiceBus && !ServiceBusServer.IsInstalled)
        {
            sheet.Notes.Add($"left out: {ServiceBusServer.HowToInstall}");
            return sheet;
        }

        if (one.NeedsBrowser && !Browser.IsInstalled)
        {
            sheet.Notes.Add($"left out: {Browser.HowToInstall}");
            return sheet;
        }

        for (var i = 0; i < one.Parts.Length; i++)
        {
            var part = one.Parts[i];
            status.Status = $"{one.Name}: {part.Name} ({i + 1} of {one.Parts.Length})";
            status.Refresh();
            await RunAsync(one, part, sheet);
        }

        return sheet;
    }

    private async Task RunAsync(Case one, Part part, Sheet sheet)
    {
        QuotaCgroup? cgroup = null;
        if (part.Quota is { } cpus && (cgroup = QuotaCgroup.TryMake(cpus)) is null)
        {
            sheet.Notes.Add($"{part.Name}: skipped, for no cgroup with a CPU quota can be made here (it needs root, and a cgroup file system to write to).");
            return;
        }

        using (cgroup)
            sheet.Add(part, await PartProcess.StartAsync(one, part, scale, cgroup));
    }
}
