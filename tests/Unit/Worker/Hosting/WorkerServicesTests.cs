using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Prometheus;
using Holdfast.Worker.Settings;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class WorkerServicesTests
{
    [Fact]
    public void The_host_waits_a_little_longer_than_the_drain_and_the_last_scrape()
    {
        using var provider = Services("DrainTimeout", "40s").BuildServiceProvider();

        Assert.Equal(TimeSpan.FromSeconds(45) + LastScrape.Longest, provider.GetRequiredService<IOptions<HostOptions>>().Value.ShutdownTimeout);
    }

    [Theory]
    [InlineData("0", false)]
    [InlineData("0.5", true)]
    public void Messages_are_produced_only_where_some_are_asked_for(string perSecond, bool produces)
    {
        using var host = Build(("Demo:Produce", perSecond));

        Assert.Equal(produces, host.Services.GetServices<IHostedService>().OfType<DemoProducer>().Any());
    }

    [Theory]
    [InlineData("ServiceBus", "SharedAccessSignature=SharedAccessSignature sr=a&sig=secret&se=1&skn=b", true)]
    [InlineData("ServiceBus", "SharedAccessKeyName=me;SharedAccessKey=secret", false)]
    [InlineData("InMemory", "SharedAccessSignature=SharedAccessSignature sr=a&sig=secret&se=1&skn=b", false)]
    public void When_our_access_ends_is_told_where_somebody_else_has_signed_until_when(string broker, string access, bool isTold)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddWorker(WorkerSettings.Read(new ConfigurationBuilder()
            .AddInMemoryCollection([new("Worker:Broker", broker), new("Worker:Handler", "Demo"), new("ConnectionStrings:ServiceBus", $"Endpoint=sb://localhost;{access}")])
            .Build()));
        using var host = builder.Build();

        Assert.Equal(isTold, host.Services.GetServices<IHostedService>().OfType<AccessNotice>().Any());
    }

    [Fact]
    public void Each_queue_of_the_demo_has_its_producer_and_its_own_settings()
    {
        using var host = Build(("Demo:Produce", "1"), ("Queues:parcels:Demo:Produce", "0"), ("Queues:letters:MaxConcurrency", "7"), ("Queues:cards:Handler", "demo"));

        Assert.Equal(2, host.Services.GetServices<IHostedService>().OfType<DemoProducer>().Count());
        Assert.Equal(
            [("cards", 256), ("letters", 7), ("parcels", 256)],
            host.Services.GetServices<QueueRegistration>().Select(queue => (queue.Queue, queue.Options.MaxConcurrency)).Order());
    }

    [Theory]
    [InlineData("InMemory", "inmemory")]
    [InlineData("rabbitmq", "rabbitmq")]
    [InlineData("servicebus", "servicebus")]
    public async Task The_broker_is_the_one_that_was_chosen(string chosen, string system)
    {
        var services = new ServiceCollection();
        services.AddWorker(Read(("Broker", chosen), ("Handler", "Demo")));
        await using var provider = services.BuildServiceProvider();

        Assert.Equal(system, provider.GetRequiredService<IBroker>().System);
    }

    private static ServiceCollection Services(string setting, string value)
    {
        var services = new ServiceCollection();
        services.AddWorker(Read((setting, value)));
        return services;
    }

    private static IHost Build(params (string Setting, string Value)[] settings)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddWorker(Read(settings));
        return builder.Build();
    }

    private static WorkerSettings Read(params (string Setting, string Value)[] settings) =>
        WorkerSettings.Read(new ConfigurationBuilder()
            .AddInMemoryCollection([new("Worker:Broker", "InMemory"), new("ConnectionStrings:RabbitMq", "amqp://localhost"), new("ConnectionStrings:ServiceBus", "Endpoint=sb://localhost;SharedAccessKeyName=me;SharedAccessKey=secret")])
            .AddInMemoryCollection(settings.Select(set => KeyValuePair.Create($"Worker:{set.Setting}", (string?)set.Value)))
            .Build());
}
