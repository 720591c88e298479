using Holdfast.Broker.RabbitMq;
using Holdfast.Tests.Integration;
using Xunit.Runner.InProc.SystemConsole;

return args is [Victim.Verb, var type, var queue, var journal]
    ? await Victim.RunAsync(Enum.Parse<QueueType>(type), queue, journal)
    : await ConsoleRunner.Run(args);
