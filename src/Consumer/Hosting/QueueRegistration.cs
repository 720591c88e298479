using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>A queue that the host wants consumed: how, and by whom.</summary>
internal sealed record QueueRegistration(string Queue, QueueOptions Options, Func<IServiceProvider, Handle> Handler)
{
    /// <summary>The handler with all that stands around it.</summary>
    public Handle Build(IServiceProvider services)
    {
        var handle = Handler(services);
        MiddlewareRegistration[] around = [.. services.GetServices<MiddlewareRegistration>().Where(one => one.Queue is null || one.Queue == Queue)];
        if (around.Length > 0)
            handle = Publishing.Within(handle);
        foreach (var registration in around.Reverse())
        {
            var next = handle;
            var middleware = registration.Middleware(services)
                ?? throw new InvalidOptionsException([new("Queue", $"{Queue} has middleware that is null; have what is to make it return one, or leave it out.")]);
            handle = (message, cancel) => middleware(message, next, cancel);
        }

        return Publishing.After(handle, services.GetRequiredService<Senders>());
    }
}
