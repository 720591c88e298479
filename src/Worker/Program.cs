using Holdfast.Worker.Hosting;

return CommandLine.Answer(args, Console.Out, Console.Error)
    ?? await Run.ToEndAsync(Console.Error);
