using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Holdfast.Consumer;

/// <summary>Puts Holdfast into a .NET host.</summary>
public static class HoldfastServices
{
    /// <summary>
    /// Adds the engine; the builder then names the broker and the handlers. Called again it configures the same engine further, as <c>Configure&lt;HoldfastOptions&gt;</c> does.
    /// Settings that can't be make the host's start fail with an <see cref="InvalidOptionsException"/>.
    /// </summary>
    public static HoldfastBuilder AddHoldfast(this IServiceCollection services, Action<HoldfastOptions>? configure = null)
    {
        if (configure is not null)
            services.Configure(configure);
        if (services.Any(one => one.ServiceType == typeof(EngineFront)))
            return new HoldfastBuilder(services);

        services.AddSending();
        services.AddScoped<ScopedMessage>();
        services.AddScoped(provider => provider.GetRequiredService<ScopedMessage>().Message);
        services.AddOptions();
        services.AddSingleton(provider => provider.GetRequiredService<IOptions<HoldfastOptions>>().Value);
        services.AddSingleton<EngineFront>();
        services.AddSingleton<IEngine>(provider => provider.GetRequiredService<EngineFront>());
        services.AddSingleton(provider => provider.GetRequiredService<EngineFront>().Build());
        services.AddHostedService(provider => provider.GetRequiredService<EngineHost>());
        return new HoldfastBuilder(services);
    }

    /// <summary>
    /// Adds <see cref="Senders"/> by a broker, without the engine: for a host that only sends. What it sends carries its trace, and is measured.
    /// The broker is disposed with the host.
    /// </summary>
    public static IServiceCollection AddHoldfastSenders(this IServiceCollection services, Func<IServiceProvider, IBroker> broker)
    {
        ArgumentNullException.ThrowIfNull(broker);
        services.AddSending();
        return services.AddSingleton<IBroker>(provider => new ObservedBroker(
            broker(provider) ?? throw new InvalidOptionsException([new("Broker", "What is to make the broker returned null; have it return one.")]),
            provider.GetRequiredService<HoldfastMeter>(),
            provider.GetRequiredService<RootSampling>(),
            provider.GetRequiredService<TimeProvider>()));
    }

    private static void AddSending(this IServiceCollection services)
    {
        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton(RootSampling.All);
        services.TryAddSingleton<Distributions>();
        services.TryAddSingleton(provider => new HoldfastMeter(provider.GetRequiredService<Distributions>()));
        services.TryAddSingleton(provider => new Senders(provider.GetRequiredService<IBroker>()));
    }
}
