// What handles a message: a handler, with or without what stands around it. Hosts read the type as it is.
global using Handle = System.Func<Holdfast.Consumer.HeldMessage, System.Threading.CancellationToken, System.Threading.Tasks.ValueTask<Holdfast.Broker.Settlement>>;
