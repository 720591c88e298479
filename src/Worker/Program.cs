using Holdfast.Worker.Commands;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Terminal;

Console.SetError(new ErrorOutput(Console.Error));

// A worker that starts has no use for the command line's parts.
return args is []
    ? await Run.ToEndAsync(Console.Error)
    : await CommandLine.RunAsync(args, Workbench.OfProcess());
