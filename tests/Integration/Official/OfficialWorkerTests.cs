using Holdfast.Tests.Integration.ServiceBus;

namespace Holdfast.Tests.Integration.Official;

/// <summary>The worker of this build, as a process.</summary>
public sealed class OfficialWorkerTests
{
    [Fact]
    public async Task It_works_through_Microsofts_client_and_the_official_exporter_tells_of_it()
    {
        await using var server = await PrivateNamespace.StartAsync();
        await using var broker = server.NewSdkBroker();
        await broker.SendAsync(PrivateNamespace.Queue, "a", "b", "c");
        using var worker = WorkerProcess.Start([("Worker__Broker", "ServiceBusSdk"), ("Worker__Handler", "Demo"), ("Worker__Demo__Produce", "0"), ("ConnectionStrings__ServiceBus", server.Server.ConnectionString())]);
        var page = await worker.StatusPageAsync();
        using var http = new HttpClient();

        await Eventually.HoldsAsync("all messages to be settled", async () => (await server.Control.CountsAsync(PrivateNamespace.Queue)).Total == 0);

        await Eventually.HoldsAsync("the metrics to tell of them", async () =>
        {
            var lines = (await http.GetStringAsync(new Uri(page, "metrics"))).Split('\n');
            return Has(lines, "holdfast_messages_settled_total{", "outcome=\"complete\"", " 3") && Has(lines, "holdfast_lease_misses_total{", "queue=\"orders\"", " 0");
        });
        await worker.TerminateAsync();
        Assert.Equal(0, (await worker.EndAsync()).Code);
    }

    [Fact]
    public async Task What_Microsofts_client_can_not_be_given_is_refused_with_its_cure()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-sdk-");
        var authority = Certificates.Make(folder.FullName).CaFile;
        using var worker = WorkerProcess.Start(
            [("Worker__Broker", "ServiceBusSdk"), ("Worker__Handler", "Demo"), ("ServiceBus__FullyQualifiedNamespace", "name.example"), ("Worker__ServiceBus__CaFile", authority)]);

        var (code, _, error) = await worker.EndAsync();
        folder.Delete(recursive: true);

        Assert.Equal(78, code);
        Assert.Contains("Worker__ServiceBus__CaFile: ", error, StringComparison.Ordinal);
    }

    private static bool Has(string[] lines, string start, string label, string value) =>
        lines.Any(line => line.StartsWith(start, StringComparison.Ordinal) && line.Contains(label, StringComparison.Ordinal) && line.Contains($"}}{value}", StringComparison.Ordinal));
}
