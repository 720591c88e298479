using Holdfast.Worker.Exec;

namespace Holdfast.Tests.Unit.Worker.Exec;

public sealed class OwnVariablesTests
{
    [Theory]
    [InlineData("ConnectionStrings__RabbitMq")]
    [InlineData("CONNECTIONSTRINGS__SERVICEBUS")]
    [InlineData("ConnectionStrings:RabbitMq")]
    [InlineData("CUSTOMCONNSTR_RabbitMq")]
    [InlineData("Worker__Http__SigningKey")]
    [InlineData("DOTNET_Worker__Queue")]
    [InlineData("DOTNET_ConnectionStrings__RabbitMq")]
    [InlineData("APPSETTING_Worker__Http__SigningKey")]
    [InlineData("APPSETTING_AZURE_CLIENT_SECRET")]
    [InlineData("APPSETTING_CUSTOMCONNSTR_RabbitMq")]
    [InlineData("Kestrel__Certificates__Default__Password")]
    [InlineData("DOTNET_Kestrel__Certificates__Default__Password")]
    [InlineData("ASPNETCORE_HTTP_PORTS")]
    [InlineData("ServiceBus__FullyQualifiedNamespace")]
    [InlineData("OTEL_EXPORTER_OTLP_HEADERS")]
    [InlineData("AZURE_CLIENT_SECRET")]
    [InlineData("HOLDFAST_PROPERTY_FORGED")]
    public void What_is_the_workers_own_is_kept_from_a_command(string name) => Assert.True(OwnVariables.Contain(name));

    [Theory]
    [InlineData("PATH")]
    [InlineData("HOME")]
    [InlineData("DOTNET_ROOT")]
    [InlineData("SHOP_API_KEY")]
    [InlineData("APPSETTING_SHOP_API_KEY")]
    [InlineData("WORKERS")]
    public void All_else_is_passed_on(string name) => Assert.False(OwnVariables.Contain(name));
}
