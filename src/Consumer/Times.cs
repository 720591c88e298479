namespace Holdfast.Consumer;

/// <summary>The shorter and the longer of two times.</summary>
internal static class Times
{
    public static TimeSpan Min(TimeSpan one, TimeSpan other) => one < other ? one : other;

    public static TimeSpan Max(TimeSpan one, TimeSpan other) => one > other ? one : other;
}
