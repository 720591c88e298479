namespace Holdfast.Worker.Hosting;

/// <summary>The settings as a worker reads them, from the same sources in the same order, without a worker.</summary>
internal static class SettingSources
{
    private const string Prefix = "ASPNETCORE_";

    public static IConfiguration Read()
    {
        var first = new ConfigurationManager();
        first.AddInMemoryCollection([new("hostBuilder:reloadConfigOnChange", "false")]).AddEnvironmentVariables(Prefix);
        return Host.CreateApplicationBuilder(new HostApplicationBuilderSettings
        {
            Configuration = first,
            EnvironmentName = first[HostDefaults.EnvironmentKey],
        }).Configuration;
    }
}
