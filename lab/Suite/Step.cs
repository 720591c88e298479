namespace Holdfast.Lab;

/// <summary>How far an experiment is: what it does now, and which part of it, from 0 to 1, is done.</summary>
internal readonly record struct Step(string What, double Done)
{
    /// <summary>The step that begins the part of that index.</summary>
    public static Step Of(string what, int index, int count) => new(what, (double)index / count);
}
