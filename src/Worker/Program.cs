using Holdfast.Worker.Commands;
using Holdfast.Worker.Hosting;

// A worker that starts has no use for the command line's parts.
return args is []
    ? await Run.ToEndAsync(Console.Error)
    : await CommandLine.RunAsync(args, Workbench.OfProcess());
