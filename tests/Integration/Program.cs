using Holdfast.Tests.Integration;
using Xunit.Runner.InProc.SystemConsole;

return args switch
{
    [Victim.Verb, var kind, var queue, var journal] => await Victim.RunAsync(kind, queue, journal),
    [PoolVictim.Verb, var port] => PoolVictim.Run(int.Parse(port)),
    _ => await ConsoleRunner.Run(args),
};
