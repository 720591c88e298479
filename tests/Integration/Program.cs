using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration;
using Xunit.Runner.InProc.SystemConsole;

return args switch
{
    [Victim.Verb, var type, var queue, var journal] => await Victim.RunAsync(Enum.Parse<QueueType>(type), queue, journal),
    [PoolVictim.Verb, var port] => PoolVictim.Run(int.Parse(port)),
    _ => await ConsoleRunner.Run(args),
};
