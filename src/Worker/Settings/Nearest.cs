namespace Holdfast.Worker.Settings;

/// <summary>Finds the name that somebody most likely meant.</summary>
internal static class Nearest
{
    /// <summary>Null where nothing is near enough to be a slip of the keyboard.</summary>
    public static string? To(string written, IEnumerable<string> names) => To(written, names, Math.Max(2, written.Length / 3));

    /// <summary>The same, where no more slips than so many are made.</summary>
    public static string? To(string written, IEnumerable<string> names, int mostSlips)
    {
        var (distance, nearest) = names
            .Select(name => (Distance: Distance(written.ToUpperInvariant(), name.ToUpperInvariant()), Name: name))
            .MinBy(candidate => candidate.Distance);
        return distance <= mostSlips ? nearest : null;
    }

    private static int Distance(string a, string b)
    {
        var row = Enumerable.Range(0, b.Length + 1).ToArray();
        for (var i = 1; i <= a.Length; i++)
        {
            var diagonal = row[0];
            row[0] = i;
            for (var j = 1; j <= b.Length; j++)
            {
                var above = row[j];
                var replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
                row[j] = Math.Min(replaced, Math.Min(above, row[j - 1]) + 1);
                diagonal = above;
            }
        }

        return row[b.Length];
    }
}
