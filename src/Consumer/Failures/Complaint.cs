namespace Holdfast.Consumer;

/// <summary>Whether a broker says the same as before. Decides only.</summary>
internal static class Complaint
{
    /// <summary>Words with digits count for nothing: they tell when it was, how long it took, or under which number the broker keeps it, and differ each time.</summary>
    public static bool IsSame(string? before, string now)
    {
        if (before is null)
            return false;

        var (earlier, later) = (before.Split(' '), now.Split(' '));
        return earlier.Length == later.Length && earlier.Zip(later).All(pair => pair.First == pair.Second || (HasDigit(pair.First) && HasDigit(pair.Second)));
    }

    private static bool HasDigit(string word) => word.AsSpan().ContainsAnyInRange('0', '9');
}
