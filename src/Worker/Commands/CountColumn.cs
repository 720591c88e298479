using Spectre.Console;
using Spectre.Console.Rendering;

namespace Holdfast.Worker.Commands;

/// <summary>How many of how many, beside a bar.</summary>
internal sealed class CountColumn : ProgressColumn
{
    public override IRenderable Render(RenderOptions options, ProgressTask task, TimeSpan deltaTime) =>
        new Text(task.IsIndeterminate ? $"{task.Value:#,0}" : $"{task.Value:#,0} of {task.MaxValue:#,0}");
}
