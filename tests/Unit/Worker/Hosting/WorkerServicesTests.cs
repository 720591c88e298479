using Holdfast.Broker;
using Holdfast.Worker.Demo;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Prometheus;
using Holdfast.Worker.Settings;
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
    public void Messages_are_produced_only_where_some_are_asked_for(string perSecond, bool produces) =>
        Assert.Equal(produces, Services("Demo:Produce", perSecond).Any(s => s.ImplementationType == typeof(DemoProducer)));

    [Theory]
    [InlineData("InMemory", "inmemory")]
    [InlineData("rabbitmq", "rabbitmq")]
    [InlineData("servicebus", "servicebus")]
    public async Task The_broker_is_the_one_that_was_chosen(string chosen, string system)
    {
        await using var provider = Services("Broker", chosen).BuildServiceProvider();

        Assert.Equal(system, provider.GetRequiredService<IBroker>().System);
    }

    private static ServiceCollection Services(string setting, string value)
    {
        var services = new ServiceCollection();
        services.AddWorker(WorkerSettings.Read(new ConfigurationBuilder()
            .AddInMemoryCollection([new($"Worker:{setting}", value), new("ConnectionStrings:RabbitMq", "amqp://localhost"), new("ConnectionStrings:ServiceBus", "Endpoint=sb://localhost;SharedAccessKeyName=me;SharedAccessKey=secret")])
            .Build()));
        return services;
    }
}
