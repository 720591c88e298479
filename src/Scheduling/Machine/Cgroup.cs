namespace Holdfast.Scheduling;

/// <summary>Where the kernel keeps what it grants this process: the folders of its cgroup, of what controller where each has its own, and of all above it.</summary>
internal static class Cgroup
{
    public static List<string> Folders(Func<string, string?> read, string controller = "cpu")
    {
        var mounts = Lines(read("/proc/self/mountinfo")).Select(line => Mount.Parse(line, controller)).OfType<Mount>().ToList();
        var folders = new List<string>();
        foreach (var line in Lines(read("/proc/self/cgroup")))
        {
            if (line.Split(':', 3) is not [_, var controllers, var path])
                continue;
            var unified = controllers.Length == 0;
            if (!unified && !controllers.Split(',').Contains(controller))
                continue;
            var mount = mounts.Where(mount => mount.Unified == unified).MaxBy(mount => mount.Holds(path));
            if (mount is not null)
                folders.AddRange(mount.UpFrom(path));
        }

        return folders;
    }

    public static string? Read(string path)
    {
        try
        {
            return File.Exists(path) ? File.ReadAllText(path) : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return null;
        }
    }

    private static string[] Lines(string? text) => text?.Split('\n') ?? [];

    private sealed record Mount(string Root, string Point, bool Unified)
    {
        public static Mount? Parse(string line, string controller)
        {
            if (line.Split(" - ") is not [var where, var what]
                || where.Split(' ') is not [_, _, _, var root, var point, ..]
                || what.Split(' ') is not [var type, _, var options, ..])
                return null;
            var unified = type == "cgroup2";
            return unified || (type == "cgroup" && options.Split(',').Contains(controller))
                ? new Mount(root.TrimEnd('/'), point, unified)
                : null;
        }

        public bool Holds(string path) => $"{path}/".StartsWith($"{Root}/", StringComparison.Ordinal) && !path.Contains("/..");

        // A container may see its own cgroup as the mount's root under any path; the walk ends there in every case.
        public IEnumerable<string> UpFrom(string path)
        {
            var below = Holds(path) ? path[Root.Length..].TrimEnd('/') : "";
            for (var end = below.Length; end > 0; end = below.LastIndexOf('/', end - 1))
                yield return Point + below[..end];
            yield return Point;
        }
    }
}
