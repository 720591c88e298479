using System.Text.Json;
using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>Calls a handler that comes from a service scope of its own, made for each attempt and disposed after it.</summary>
internal static class ScopedHandler
{
    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> For<THandler>(IServiceProvider services)
        where THandler : class, IHandler
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (message, cancel) =>
        {
            await using var scope = scopes.CreateAsyncScope();
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(message, cancel);
        };
    }

    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> For<THandler, T>(IServiceProvider services)
        where THandler : class, IHandler<T>
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (message, cancel) =>
        {
            var body = JsonSerializer.Deserialize<T>(message.Body.Span, JsonSerializerOptions.Web)
                ?? throw new JsonException($"The body is null, not a {typeof(T).Name}.");
            await using var scope = scopes.CreateAsyncScope();
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(body, message, cancel);
        };
    }
}
