namespace Holdfast.Lab;

/// <summary>A part of an experiment that is measured in a process of its own, as that process sees it.</summary>
internal interface IOwnPart
{
    string Name { get; }

    /// <summary>Measures what that text asks for, and puts what was found into a line of text.</summary>
    Task<string> AnswerAsync(string question);
}
