namespace Holdfast.Bench;

/// <summary>The page of a worker that was started.</summary>
internal static class StatusPage
{
    private const string Announcement = "Status page: ";

    /// <summary>Reads on until the worker tells where it is.</summary>
    public static async Task<Uri> AddressAsync(StreamReader output)
    {
        while (await output.ReadLineAsync() is { } line)
        {
            if (line.IndexOf(Announcement, StringComparison.Ordinal) is >= 0 and var at)
                return new Uri(line[(at + Announcement.Length)..].Trim());
        }

        throw new InvalidOperationException("The worker ended before it told its address.");
    }
}
