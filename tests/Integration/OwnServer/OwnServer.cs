namespace Holdfast.Tests.Integration;

/// <summary>Tests that stop the whole server or change what it allows: they have one of their own, one after the other, while others run beside them.</summary>
[CollectionDefinition(nameof(OwnServer))]
public sealed class OwnServer : ICollectionFixture<RabbitServer>;
