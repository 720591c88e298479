using System.Globalization;
using Holdfast.Worker.Commands;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Terminal;

// Where the environment turns cultures on (DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=false, as images with ICU do), figures in the log and in errors stay those that are documented.
CultureInfo.CurrentCulture = CultureInfo.DefaultThreadCurrentCulture = CultureInfo.InvariantCulture;
Console.SetError(new ErrorOutput(Console.Error));

// A worker that starts has no use for the command line's parts.
return args is []
    ? await Run.ToEndAsync(Console.Error)
    : await CommandLine.RunAsync(args, Workbench.OfProcess());
