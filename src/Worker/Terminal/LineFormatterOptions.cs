using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Terminal;

/// <summary>Nothing to choose: a line looks the same everywhere.</summary>
internal sealed class LineFormatterOptions : ConsoleFormatterOptions;
