namespace Holdfast.Worker.Commands;

/// <summary>The dead letters that a command is about: the queue that a person named, and the one in which they lie.</summary>
internal sealed record DeadLetters(string Queue, string Place)
{
    /// <summary>What they are called. In a queue that was named as it is may lie anything.</summary>
    public string Text => Queue == Place ? $"messages in '{Place}'" : $"dead letters of '{Queue}'";
}
