namespace Holdfast.Amqp;

/// <summary>Numbers that start again at zero once they are used up: only their distance tells which comes first. Any thread.</summary>
internal static class Serial
{
    /// <summary>How far <paramref name="number"/> is ahead of <paramref name="other"/>; negative where it is behind.</summary>
    public static int Ahead(uint number, uint other) => unchecked((int)(number - other));

    public static uint Plus(uint number, uint steps) => unchecked(number + steps);

    /// <summary>What is left of an allowance that began at <paramref name="start"/>, now that the count is at <paramref name="now"/>.</summary>
    public static uint Left(uint allowance, uint start, uint now) => unchecked(now - start) is var used && allowance > used ? allowance - used : 0;
}
