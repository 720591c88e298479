using System.Diagnostics.CodeAnalysis;
using System.Text.Json;
using System.Text.Json.Serialization.Metadata;
using Holdfast.Broker;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.DependencyInjection.Extensions;

namespace Holdfast.Consumer;

/// <summary>Says which broker is consumed, and who handles the messages of which queue.</summary>
public sealed class HoldfastBuilder
{
    private const DynamicallyAccessedMemberTypes Constructors = DynamicallyAccessedMemberTypes.PublicConstructors;
    private const string ReadsByReflection = "Reads JSON by reflection; give it the type's JsonTypeInfo, which System.Text.Json generates.";

    internal HoldfastBuilder(IServiceCollection services) => Services = services;

    public IServiceCollection Services { get; }

    /// <summary>Names the broker. It is disposed with the host.</summary>
    public HoldfastBuilder UseBroker(Func<IServiceProvider, IBroker> broker)
    {
        Services.AddHoldfastSenders(broker);
        return this;
    }

    /// <summary>Names a store that remembers, beyond the life of the engine or of the process, which messages were handled. It is disposed with the host.</summary>
    /// <remarks>
    /// With the first of them to end, where several hosts are given one that can be disposed of: the others go on without it. So give each host its own;
    /// several of SQLite's may have one file.
    /// </remarks>
    public HoldfastBuilder UseIdempotency(Func<IServiceProvider, IIdempotencyStore> store)
    {
        ArgumentNullException.ThrowIfNull(store);
        Services.AddSingleton(services => store(services)
            ?? throw new InvalidOptionsException([new("Idempotency", "What is to make the store returned null; have it return one, or do not call UseIdempotency.")]));
        return this;
    }

    /// <summary>Puts something around the handler of a queue, or of every queue where none is named. What is added first is the outermost.</summary>
    public HoldfastBuilder Use(Middleware middleware, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(middleware);
        return Use(_ => middleware, queue);
    }

    /// <inheritdoc cref="Use(Middleware, string?)"/>
    public HoldfastBuilder Use(Func<IServiceProvider, Middleware> middleware, string? queue = null)
    {
        ArgumentNullException.ThrowIfNull(middleware);
        Services.AddSingleton(new MiddlewareRegistration(queue, middleware));
        return this;
    }

    /// <summary>Consumes a queue with a handler from a service scope of each attempt's own.</summary>
    public HoldfastBuilder Handle<[DynamicallyAccessedMembers(Constructors)] THandler>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler
    {
        Services.TryAddScoped<THandler>();
        return Handle(queue, services => ScopedHandler.For<THandler>(services), configure);
    }

    /// <summary>Consumes a queue of JSON messages, read with <see cref="JsonSerializerOptions.Web"/>, with a typed handler from a service scope of each attempt's own.</summary>
    [RequiresUnreferencedCode(ReadsByReflection), RequiresDynamicCode(ReadsByReflection)]
    public HoldfastBuilder Handle<[DynamicallyAccessedMembers(Constructors)] THandler, T>(string queue, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler<T> =>
        Handle<THandler, T>(queue, (JsonTypeInfo<T>)JsonSerializerOptions.Web.GetTypeInfo(typeof(T)), configure);

    /// <summary>
    /// The same with what System.Text.Json has generated at compile time: quicker to start, and fit to be trimmed. It is read with the options of the context that
    /// <paramref name="type"/> comes from: one without <c>[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]</c> knows no <c>number</c> where the type has a
    /// <c>Number</c>, and leaves it at zero.
    /// </summary>
    public HoldfastBuilder Handle<[DynamicallyAccessedMembers(Constructors)] THandler, T>(string queue, JsonTypeInfo<T> type, Action<QueueOptions>? configure = null)
        where THandler : class, IHandler<T>
    {
        Services.TryAddScoped<THandler>();
        return Handle(queue, services => ScopedHandler.For<THandler, T>(services, type), configure);
    }

    /// <summary>Consumes a queue with a function.</summary>
    public HoldfastBuilder Handle(string queue, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> handle, Action<QueueOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handle);
        return Handle(queue, _ => handle, configure);
    }

    /// <summary>Consumes a queue with one handler for all its messages, which is made once and disposed with the host.</summary>
    public HoldfastBuilder Handle(string queue, Func<IServiceProvider, IHandler> handler, Action<QueueOptions>? configure = null)
    {
        ArgumentNullException.ThrowIfNull(handler);

        // Not under the queue's name, which the host may have given a handler of its own.
        var key = new object();
        Services.AddKeyedSingleton(key, (services, _) => handler(services)
            ?? throw new InvalidOptionsException([new("Queue", $"{queue} has no handler, for what is to make it returned null; have it return one, as GetRequiredService does.")]));
        return Handle(queue, services => services.GetRequiredKeyedService<IHandler>(key).HandleAsync, configure);
    }

    private HoldfastBuilder Handle(string queue, Func<IServiceProvider, Handle> handler, Action<QueueOptions>? configure)
    {
        var options = new QueueOptions();
        configure?.Invoke(options);
        Services.AddSingleton(new QueueRegistration(queue, options, handler));
        return this;
    }
}
