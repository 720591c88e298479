using Holdfast.Tests.Simulation.Command;
using Xunit.Runner.InProc.SystemConsole;

return args is ["simulate", .. var rest] ? Simulate.Run(rest) : await ConsoleRunner.Run(args);
