using Holdfast.Lab;

if (args is [PartProcess.Argument, var name, var question])
    Environment.Exit(await PartProcess.RunAsync(name, question));

var (order, exitCode) = new Arguments(Catalog.All).Read(args, Console.Out, Console.Error);
if (order is not null)
{
    using var interrupt = new Interrupt();
    exitCode = await new Session(Terminal.Open(), Console.Error).RunAsync(order, interrupt.Token);
}

// What was stopped may still run: nobody waits for it.
Environment.Exit(exitCode);
