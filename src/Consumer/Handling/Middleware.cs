using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>
/// What stands around a handler, within each of its attempts and on its lane: it goes on to <paramref name="next"/>, with this token or with one of its own,
/// or ends the message by itself.
/// </summary>
public delegate ValueTask<Settlement> Middleware(
    HeldMessage message, Func<HeldMessage, CancellationToken, ValueTask<Settlement>> next, CancellationToken cancel);
