using DotNet.Testcontainers.Builders;
using DotNet.Testcontainers.Containers;
using DotNet.Testcontainers.Networks;

namespace Holdfast.Tests.Integration.Official;

/// <summary>Microsoft's emulator of Service Bus and the SQL Server that it keeps its messages in, on a network of their own. Who starts them accepts both licences.</summary>
internal sealed class EmulatorContainers : IAsyncDisposable
{
    private const string EmulatorImage = "mcr.microsoft.com/azure-messaging/servicebus-emulator:1.1.2";
    private const string DatabaseImage = "mcr.microsoft.com/mssql/server:2022-latest";
    private const string DatabaseName = "database";
    private const int AmqpPort = 5672;

    private readonly INetwork _network = new NetworkBuilder().Build();
    private readonly IContainer _database;
    private readonly IContainer _emulator;

    /// <param name="config">What the emulator is to have, as it reads it: JSON.</param>
    public EmulatorContainers(byte[] config)
    {
        // The server wants letters of both cases, and a digit.
        var password = $"Aa1{Guid.NewGuid():N}";
        _database = new ContainerBuilder(DatabaseImage)
            .WithNetwork(_network)
            .WithNetworkAliases(DatabaseName)
            .WithEnvironment("ACCEPT_EULA", "Y")
            .WithEnvironment("MSSQL_SA_PASSWORD", password)
            .WithWaitStrategy(Wait.ForUnixContainer().UntilMessageIsLogged("ready for client connections"))
            .Build();
        _emulator = new ContainerBuilder(EmulatorImage)
            .WithNetwork(_network)
            .WithPortBinding(AmqpPort, assignRandomHostPort: true)
            .WithEnvironment("ACCEPT_EULA", "Y")
            .WithEnvironment("SQL_SERVER", DatabaseName)
            .WithEnvironment("MSSQL_SA_PASSWORD", password)
            .WithResourceMapping(config, "/ServiceBus_Emulator/ConfigFiles/Config.json")
            .WithWaitStrategy(Wait.ForUnixContainer().UntilMessageIsLogged("Emulator Service is Successfully Up"))
            .Build();
    }

    public string ConnectionString =>
        $"Endpoint=sb://{_emulator.Hostname}:{_emulator.GetMappedPublicPort(AmqpPort)};SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=SAS_KEY_VALUE;UseDevelopmentEmulator=true";

    public async Task StartAsync()
    {
        await _network.CreateAsync();
        await _database.StartAsync();
        await _emulator.StartAsync();
    }

    public async ValueTask DisposeAsync()
    {
        await _emulator.DisposeAsync();
        await _database.DisposeAsync();
        await _network.DisposeAsync();
    }
}
