namespace Holdfast.Consumer;

/// <summary>The message that a service scope was made for: what is injected there as <see cref="HeldMessage"/>.</summary>
internal sealed class ScopedMessage
{
    private HeldMessage? _message;

    public HeldMessage Message
    {
        get => _message ?? throw new InvalidOperationException("There is no HeldMessage here: only the scope of a message's handler has one.");
        set => _message = value;
    }
}
