using Holdfast.Consumer;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Management;
using Holdfast.Worker.Otlp;
using Holdfast.Worker.Prometheus;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Status;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Holdfast.Worker.Hosting;

/// <summary>Puts the worker together from its settings.</summary>
internal static class WorkerServices
{
    // The engine drains within its own time; the rest of the host needs a little more.
    private static readonly TimeSpan s_timeToClose = TimeSpan.FromSeconds(5);

    public static void AddWorker(this IServiceCollection services, WorkerSettings settings)
    {
        services.Configure<HostOptions>(o => o.ShutdownTimeout = settings.Engine.DrainTimeout + s_timeToClose + LastScrape.Longest);
        services.AddManagement(settings);
        var holdfast = services.AddHoldfast(settings.Apply).UseBroker(Catalog.Brokers[settings.Worker.Broker]);
        holdfast.UseIdempotency(settings.Worker.Idempotency);
        foreach (var queue in settings.Queues)
            Handle(holdfast, queue);
        services.AddSingleton<LastScrape>();
        services.AddHostedService(all => all.GetRequiredService<LastScrape>());
        services.AddHostedService<Summary>();
        if (settings.AccessEndsAt is { } end)
            services.AddSingleton<IHostedService>(all => ActivatorUtilities.CreateInstance<AccessNotice>(all, end));
    }

    /// <summary>Adds what the management port needs beside the engine.</summary>
    public static void AddManagement(this IServiceCollection services, WorkerSettings settings)
    {
        services.AddRoutingCore();
        services.AddSingleton(TimeProvider.System);

        // Before all else that is hosted, for it is to be stopped after that.
        services.AddSingleton<Patience>();
        services.AddHostedService(all => all.GetRequiredService<Patience>());
        services.AddSingleton(settings);
        services.AddSingleton(settings.Worker);
        services.TryAddSingleton<Distributions>();
        services.AddScraping();
        services.AddPacking();
        services.AddSingleton(settings.Otel);
        services.AddSingleton(settings.Otel.Sampling.Roots());
        services.AddHostedService<OtlpExport>();
        services.AddStatusPage(settings);
    }

    private static void Handle(HoldfastBuilder holdfast, QueueSettings queue)
    {
        Catalog.Handlers[queue.Handling.Handler](holdfast, queue);
        if (queue.HasProducer)
            holdfast.Services.AddSingleton<IHostedService>(services => ActivatorUtilities.CreateInstance<DemoProducer>(services, queue.Handling));
    }
}
