namespace Holdfast.Consumer;

/// <summary>What the host wants around the handler of one queue, or of every queue where none is named.</summary>
internal sealed record MiddlewareRegistration(string? Queue, Func<IServiceProvider, Middleware> Middleware);
