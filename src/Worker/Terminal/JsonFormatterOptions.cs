using Microsoft.Extensions.Logging.Console;

namespace Holdfast.Worker.Terminal;

/// <summary>Nothing to choose: who reads it is a machine.</summary>
internal sealed class JsonFormatterOptions : ConsoleFormatterOptions;
