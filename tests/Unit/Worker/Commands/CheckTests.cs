using Holdfast.Broker;
using Holdfast.Idempotency.Sqlite;
using Holdfast.Scheduling;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class CheckTests : IDisposable
{
    private readonly Calling _call = new();
    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-check-").FullName;

    public CheckTests() => _call.Settings["Worker:Broker"] = "InMemory";

    public void Dispose()
    {
        _call.Dispose();
        Directory.Delete(_folder, recursive: true);
    }

    [Fact]
    public async Task A_store_in_a_folder_that_is_not_there_is_an_error()
    {
        _call.Settings["Worker:Idempotency:Path"] = $"{_folder}/none/completed.db";

        Assert.Equal(1, await _call.RunAsync("check"));
        Assert.Equal(
            $"error    Worker__Idempotency__Path: {_folder}/none/completed.db can't be opened ('{_folder}/none' is no folder that may be written to); set a file of its own, in a folder that is there and may be written to.",
            Assert.Single(_call.Output));
    }

    [Fact]
    public async Task A_variable_of_OpenTelemetry_that_changes_nothing_is_warned_of()
    {
        _call.Settings["OTEL_LOGS_EXPORTER"] = "otlp";

        Assert.Equal(0, await _call.RunAsync("check"));
        Assert.Contains("warning  OTEL_LOGS_EXPORTER is set, and has no effect here; leave it out, if it is not meant for others.", _call.Output);
    }

    [Fact]
    public async Task A_store_that_is_no_file_is_an_error()
    {
        _call.Settings["Worker:Idempotency:Path"] = _folder;

        Assert.Equal(1, await _call.RunAsync("check"));
        Assert.StartsWith($"error    Worker__Idempotency__Path: {_folder} can't be opened (Access to the path '{_folder}' is denied.); ", Assert.Single(_call.Output));
    }

    [Fact]
    public async Task A_store_that_is_a_file_of_another_kind_is_an_error()
    {
        var file = Path.Combine(_folder, "notes.txt");
        await File.WriteAllTextAsync(file, "kept");
        _call.Settings["Worker:Idempotency:Path"] = file;

        Assert.Equal(1, await _call.RunAsync("check"));
        Assert.StartsWith($"error    Worker__Idempotency__Path: {file} can't be opened (it is no database of SQLite's); ", Assert.Single(_call.Output));
    }

    [Fact]
    public async Task A_store_that_could_be_made_is_not_made_and_one_that_is_there_is_left_as_it_is()
    {
        var there = Path.Combine(_folder, "there.db");
        await using (new SqliteIdempotencyStore(new() { Path = there }))
        {
            foreach (var path in (string[])[there, Path.Combine(_folder, "made.db")])
            {
                _call.Settings["Worker:Idempotency:Path"] = path;
                Assert.Equal(0, await _call.RunAsync("check"));
            }
        }

        Assert.Equal([there], Directory.GetFileSystemEntries(_folder));
    }

    [Fact]
    public async Task Messages_that_the_memory_has_no_room_for_are_warned_of()
    {
        _call.Settings["Worker:MaxBytesInFlight"] = $"{1L << 50}";

        Assert.Equal(0, await _call.RunAsync("check"));
        Assert.Contains("of Worker__MaxBytesInFlight. Give the worker ", _call.Output[2], StringComparison.Ordinal);
    }

    [Fact]
    public async Task What_is_found_with_each_queue_is_told_once()
    {
        using var call = new Calling { Desk = new() { Findings = [Finding.Ok("The clock is right."), Finding.Warning("The signature ends.")] } };
        call.Settings["Worker:Queues:parcels:Handler"] = call.Settings["Worker:Queues:letters:Handler"] = "Demo";

        Assert.Equal(0, await call.RunAsync("check"));
        Assert.Equal(["ok       The clock is right.", "warning  The signature ends."], call.Output[^2..]);
        Assert.Single(call.Output, line => line.Contains("The clock is right.", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Of_a_worker_that_has_one_thread_no_more_are_told()
    {
        _call.Settings["Worker:SingleThread"] = "true";

        Assert.Equal(0, await _call.RunAsync("check"));
        Assert.Contains(CpuQuota.Cpus < 1 ? "a single busy thread" : "enough for one thread that runs handlers.", _call.Output[1]);
    }
}
