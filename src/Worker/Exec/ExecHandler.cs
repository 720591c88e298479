using Holdfast.Consumer;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>Has a queue's messages handled by a command, in the mode that is asked for.</summary>
internal static class ExecHandler
{
    public static void Add(HoldfastBuilder builder, QueueSettings queue) =>
        builder.Handle(queue.Handling.Queue, services => For(queue.Handling.Exec, services), queue.Apply);

    private static IHandler For(ExecOptions exec, IServiceProvider services)
    {
        var (time, log) = (services.GetRequiredService<TimeProvider>(), services.GetRequiredService<ILoggerFactory>().CreateLogger("Holdfast.Exec"));
        return exec.Mode == ExecMode.Lines
            ? new LinesHandler(exec, Signals.Send, time, log, services.GetRequiredService<IHostApplicationLifetime>().ApplicationStopping)
            : new OnceHandler(exec, Signals.Send, time, log);
    }
}
