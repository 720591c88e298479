using System.Diagnostics;

namespace Holdfast.Tests.Servers.Docker;

/// <summary>
/// A Docker engine of our own: loopback only, with a socket, networks and data of its own, so that it shares nothing with any other.
/// A keeper ends it, its containers and its mounts when it is told to, or when this process is gone.
/// </summary>
internal sealed class DockerDaemon : IAsyncDisposable
{
    private const int TailLines = 20;

    // The pipe to the keeper closes with this process, however that ends, and no key typed at the tests' terminal reaches its session.
    // Images and layers are kept for the next run: they take minutes to make. Where another run has them just now, this one makes its own.
    private const string Keeper = """
        exec 3<&0 </dev/null >"$FOLDER/log" 2>&1 9>"$CACHE/lock"
        data=$CACHE/data
        flock -n 9 || data=$(mktemp -d "$CACHE/other-XXXXXX")
        rm -rf "$data/containers" "$data/network" "$data/volumes"
        {
            dockerd --data-root "$data" --exec-root "$FOLDER/exec" --pidfile "$FOLDER/pid" --host "$DOCKER_HOST" \
                --bridge none --default-address-pool "base=$POOL,size=24" --ip 127.0.0.1 --ip-forward=false 3<&-
            touch "$FOLDER/ended"
        } &

        cat <&3 >/dev/null
        docker ps --all --quiet | xargs --no-run-if-empty docker rm --force --volumes
        docker network prune --force
        docker image prune --force --filter until=72h
        if [ -e "$FOLDER/pid" ]; then kill -s TERM "$(cat "$FOLDER/pid")"; fi
        wait
        awk -v data="$data/" -v folder="$FOLDER/" 'index($2, data) == 1 || index($2, folder) == 1 { print $2 }' /proc/mounts | xargs --no-run-if-empty umount --lazy
        if [ "$data" != "$CACHE/data" ]; then rm -rf "$data"; fi
        rm -rf "$FOLDER"
        """;

    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-docker-").FullName;
    private readonly Process _keeper;

    public DockerDaemon()
    {
        var start = new ProcessStartInfo("setsid", ["sh", "-c", Keeper]) { RedirectStandardInput = true };
        start.Environment["FOLDER"] = _folder;
        start.Environment["CACHE"] = Directory.CreateDirectory(Cache).FullName;
        start.Environment["POOL"] = $"10.{Random.Shared.Next(100, 250)}.0.0/16";
        start.Environment["DOCKER_HOST"] = Host;
        _keeper = Process.Start(start)!;
    }

    /// <summary>Only root may start one.</summary>
    public static bool IsPossible => Environment.IsPrivilegedProcess && Programs.AreInstalled("dockerd", "setsid", "flock");

    public string Host => $"unix://{Path.Combine(_folder, "socket")}";

    public bool HasEnded => File.Exists(Path.Combine(_folder, "ended"));

    public string LogTail => string.Join('\n', File.ReadLines(Path.Combine(_folder, "log")).TakeLast(TailLines));

    private static string Cache =>
        Path.Combine(Environment.GetEnvironmentVariable("XDG_CACHE_HOME") ?? Path.Combine(Environment.GetFolderPath(Environment.SpecialFolder.UserProfile), ".cache"), "holdfast", "docker");

    public async ValueTask DisposeAsync()
    {
        _keeper.StandardInput.Close();
        await _keeper.WaitForExitAsync();
        _keeper.Dispose();
    }
}
