namespace Holdfast.Tests.Unit.Consumer;

/// <summary>What a stranger throws, and what throws itself when it is asked what it says.</summary>
internal sealed class UnreadableFailure : Exception
{
    public override string Message => throw new TimeoutException();

    public override string? StackTrace => throw new TimeoutException();
}
