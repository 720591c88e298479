using System.Text.Json.Serialization.Metadata;
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
            await using var scope = Scope(scopes, message);
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(message, cancel);
        };
    }

    public static Func<HeldMessage, CancellationToken, ValueTask<Settlement>> For<THandler, T>(IServiceProvider services, JsonTypeInfo<T> type)
        where THandler : class, IHandler<T>
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (message, cancel) =>
        {
            var body = JsonBody.Read(message.Body.Span, type);
            await using var scope = Scope(scopes, message);
            return await scope.ServiceProvider.GetRequiredService<THandler>().HandleAsync(body, message, cancel);
        };
    }

    private static AsyncServiceScope Scope(IServiceScopeFactory scopes, HeldMessage message)
    {
        var scope = scopes.CreateAsyncScope();
        scope.ServiceProvider.GetRequiredService<ScopedMessage>().Message = message;
        return scope;
    }
}
