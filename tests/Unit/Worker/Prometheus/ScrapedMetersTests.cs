using Holdfast.Tests.Unit.Worker.Settings;
using Holdfast.Worker.Hosting;
using Microsoft.Extensions.DependencyInjection;
using OpenTelemetry;
using OpenTelemetry.Metrics;

namespace Holdfast.Tests.Unit.Worker.Prometheus;

public sealed class ScrapedMetersTests
{
    [Fact]
    public void Who_is_scraped_is_what_the_configuration_says()
    {
        var services = new ServiceCollection().AddLogging();
        services.AddManagement(Reading.Read("OTEL_SERVICE_NAME=shop", "OTEL_RESOURCE_ATTRIBUTES=team=orders", "OTEL_SDK_DISABLED=true"));
        using var provider = services.BuildServiceProvider();

        var resource = provider.GetRequiredService<MeterProvider>().GetResource().Attributes.ToDictionary();
        Assert.Equal(("shop", "orders"), (resource["service.name"], resource["team"]));
        Assert.DoesNotContain("service.instance.id", resource.Keys);
    }
}
