using System.Diagnostics;
using System.IO.Compression;
using Holdfast.Broker.InMemory;

namespace Holdfast.Tests.Integration.Packages;

/// <summary>What a host of somebody else's gets from the packages: all by itself, outside of this tree.</summary>
public sealed class PackageTests : IDisposable
{
    private static readonly string s_version = typeof(InMemoryBroker).Assembly.GetName().Version!.ToString(3);

    private readonly string _folder = Directory.CreateTempSubdirectory("holdfast-packages-").FullName;

    private string Packages => Path.Combine(_folder, "packages");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [Fact]
    public async Task A_host_that_knows_nothing_but_the_packages_handles_its_messages()
    {
        await PackAsync();
        var host = Write(
            ("nuget.config", $"""<configuration><packageSources><add key="holdfast" value="{Packages}" /></packageSources></configuration>"""),
            ("Shop.csproj", $"""
                <Project Sdk="Microsoft.NET.Sdk">
                  <PropertyGroup>
                    <OutputType>Exe</OutputType>
                    <TargetFramework>net10.0</TargetFramework>
                    <ImplicitUsings>enable</ImplicitUsings>
                  </PropertyGroup>
                  <ItemGroup>
                    <FrameworkReference Include="Microsoft.AspNetCore.App" />
                    <PackageReference Include="Holdfast.Consumer" Version="{s_version}" />
                    <PackageReference Include="Holdfast.Broker.InMemory" Version="{s_version}" />
                    <PackageReference Include="Holdfast.Broker.RabbitMq" Version="{s_version}" />
                    <PackageReference Include="Holdfast.Broker.ServiceBus" Version="{s_version}" />
                    <PackageReference Include="Holdfast.Idempotency.Sqlite" Version="{s_version}" />
                  </ItemGroup>
                </Project>
                """),
            ("Program.cs", """
                using Holdfast.Broker;
                using Holdfast.Broker.InMemory;
                using Holdfast.Broker.RabbitMq;
                using Holdfast.Broker.ServiceBus;
                using Holdfast.Consumer;
                using Holdfast.Idempotency.Sqlite;
                using Microsoft.Extensions.DependencyInjection;
                using Microsoft.Extensions.Hosting;

                var builder = Host.CreateEmptyApplicationBuilder(null);
                builder.Services.AddHealthChecks().AddHoldfast();
                builder.Services.AddHoldfast()
                    .UseBroker(_ => args[0] switch
                    {
                        "rabbit" => new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = args[1] }),
                        "bus" => new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = args[1] }),
                        _ => new InMemoryBroker(),
                    })
                    .UseIdempotency(_ => new SqliteIdempotencyStore(new() { Path = "completed.db" }))
                    .Handle<Shop>("orders");
                using var host = builder.Build();
                await host.StartAsync();
                await host.Services.GetRequiredService<Senders>().SendAsync("orders", new Message { Id = "7", Body = "tea"u8.ToArray() });
                await host.WaitForShutdownAsync();

                sealed class Shop(IHostApplicationLifetime host) : IHandler
                {
                    public ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
                    {
                        Console.WriteLine($"sold {System.Text.Encoding.UTF8.GetString(message.Body.Span)}");
                        host.StopApplication();
                        return new(Settlement.Complete);
                    }
                }
                """));

        var output = await Dotnet(host, "run", "--", "memory").OutputAsync();

        Assert.Equal("sold tea", output.Trim());
    }

    [Fact]
    public async Task Each_package_tells_what_it_is_and_documents_what_it_has()
    {
        await PackAsync();

        var packages = Directory.GetFiles(Packages, "*.nupkg");
        Assert.Equal(8, packages.Length);
        Assert.All(packages, package =>
        {
            using var content = ZipFile.OpenRead(package);
            var name = Path.GetFileName(package)[..^$".{s_version}.nupkg".Length];
            var nuspec = new StreamReader(content.GetEntry($"{name}.nuspec")!.Open()).ReadToEnd();

            Assert.NotNull(content.GetEntry("PACKAGE.md"));
            Assert.NotNull(content.GetEntry($"lib/net10.0/{name}.xml"));
            Assert.DoesNotContain("Package Description", nuspec);
        });
    }

    // As the tests were built, so that nothing is compiled behind the back of those that run.
    private async Task PackAsync() =>
        await Dotnet(SourceTree.Find("."), "pack", "--no-build", "-c", Built, "-o", Packages).OutputAsync();

    private static string Built => AppContext.BaseDirectory.Contains($"{Path.DirectorySeparatorChar}Release{Path.DirectorySeparatorChar}") ? "Release" : "Debug";

    private string Write(params (string Name, string Text)[] files)
    {
        var folder = Directory.CreateDirectory(Path.Combine(_folder, "shop")).FullName;
        foreach (var (name, text) in files)
            File.WriteAllText(Path.Combine(folder, name), text);
        return folder;
    }

    // What it restores must not stay behind: the next version under test has the same number.
    private ProcessStartInfo Dotnet(string folder, params string[] arguments)
    {
        var user = Environment.GetFolderPath(Environment.SpecialFolder.UserProfile);
        var known = Environment.GetEnvironmentVariable("NUGET_PACKAGES") ?? Path.Combine(user, ".nuget", "packages");
        return new ProcessStartInfo("dotnet", arguments)
        {
            WorkingDirectory = folder,
            Environment =
            {
                ["NUGET_PACKAGES"] = Path.Combine(_folder, "restored"),
                ["NUGET_FALLBACK_PACKAGES"] = known,
                ["MSBUILDDISABLENODEREUSE"] = "1",
            },
        };
    }
}
