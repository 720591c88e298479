using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Holdfast.Consumer;

/// <summary>Puts Holdfast into a .NET host.</summary>
public static class HoldfastServices
{
    /// <summary>
    /// Adds the engine; the builder then names the broker and the handlers. Called again it configures the same engine further.
    /// Settings that can't be make the host's start fail with an <see cref="InvalidOptionsException"/>.
    /// </summary>
    public static HoldfastBuilder AddHoldfast(this IServiceCollection services, Action<HoldfastOptions>? configure = null)
    {
        if (services.FirstOrDefault(one => one.ServiceType == typeof(HoldfastOptions))?.ImplementationInstance is HoldfastOptions added)
        {
            configure?.Invoke(added);
            return new HoldfastBuilder(services);
        }

        var options = new HoldfastOptions();
        configure?.Invoke(options);

        services.TryAddSingleton(TimeProvider.System);
        services.TryAddSingleton(RootSampling.All);
        services.TryAddSingleton<Distributions>();
        services.AddSingleton(provider => new HoldfastMeter(provider.GetRequiredService<Distributions>()));
        services.AddSingleton(provider => new Senders(provider.GetRequiredService<IBroker>()));
        services.AddScoped<ScopedMessage>();
        services.AddScoped(provider => provider.GetRequiredService<ScopedMessage>().Message);
        services.AddSingleton(options);
        services.AddSingleton<EngineHost>();
        services.AddSingleton<IEngine>(provider => provider.GetRequiredService<EngineHost>());
        services.AddHostedService(provider => provider.GetRequiredService<EngineHost>());
        return new HoldfastBuilder(services);
    }
}
