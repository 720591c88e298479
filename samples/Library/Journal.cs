using Holdfast.Consumer;

namespace Holdfast.Samples.Library;

/// <summary>A scoped service that knows which message it works for, without being told.</summary>
internal sealed class Journal(HeldMessage message)
{
    public void Write(string what) => Console.WriteLine($"{message.Queue} {message.Id}, attempt {message.Attempt}: {what}");
}
