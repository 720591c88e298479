using Xunit.Runner.InProc.SystemConsole;

return await ConsoleRunner.Run(args);
