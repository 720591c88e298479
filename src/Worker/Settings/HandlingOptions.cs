namespace Holdfast.Worker.Settings;

/// <summary>Which queue is consumed, and who handles its messages.</summary>
internal sealed class HandlingOptions
{
    [NeverBlank]
    public string Queue { get; set; } = "orders";

    public string Handler { get; set; } = "Demo";

    public DemoOptions Demo { get; set; } = new();

    public HttpOptions Http { get; set; } = new();

    public ExecOptions Exec { get; set; } = new();

    /// <summary>Whether this is the handler that was chosen.</summary>
    public bool Uses(string handler) => Handler.Equals(handler, StringComparison.OrdinalIgnoreCase);
}
