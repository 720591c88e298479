using System.Text.Json.Serialization.Metadata;
using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;

namespace Holdfast.Consumer;

/// <summary>Calls a handler that comes from a service scope of its own, made for each attempt and disposed after it.</summary>
internal static class ScopedHandler
{
    public static Handle For<THandler>(IServiceProvider services)
        where THandler : class, IHandler => For(
            services,
            static message => message.Body,
            static (scope, _, message, cancel) => scope.GetRequiredService<THandler>().HandleAsync(message, cancel));

    public static Handle For<THandler, T>(IServiceProvider services, JsonTypeInfo<T> type)
        where THandler : class, IHandler<T> => For(
            services,
            message => JsonBody.Read(message.Body.Span, type),
            static (scope, body, message, cancel) => scope.GetRequiredService<THandler>().HandleAsync(body, message, cancel));

    private static Handle For<TBody>(
        IServiceProvider services,
        Func<HeldMessage, TBody> read,
        Func<IServiceProvider, TBody, HeldMessage, CancellationToken, ValueTask<Settlement>> handle)
    {
        var scopes = services.GetRequiredService<IServiceScopeFactory>();
        return async (message, cancel) =>
        {
            var body = read(message);
            var scope = scopes.CreateAsyncScope();
            Settlement settlement;
            try
            {
                scope.ServiceProvider.GetRequiredService<ScopedMessage>().Message = message;
                settlement = await message.UntilEnd(handle(scope.ServiceProvider, body, message, cancel));
            }
            catch (Exception thrown)
            {
                await DisposeAfterAsync(thrown, scope);
                throw;
            }

            // What its services keep for their end may be the work itself: where that fails, so has the attempt.
            await scope.DisposeAsync();
            return settlement;
        };
    }

    // What breaks a handler, such as a connection that was lost, often breaks the end of its services as well. What becomes of the message is decided by the first.
    private static async ValueTask DisposeAfterAsync(Exception thrown, AsyncServiceScope scope)
    {
        try
        {
            await scope.DisposeAsync();
        }
        catch (Exception later)
        {
            ErrorText.Append(thrown, later);
        }
    }
}
