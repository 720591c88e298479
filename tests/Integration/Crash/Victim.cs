using System.Diagnostics;
using Holdfast.Broker.RabbitMq;
using Holdfast.Broker.ServiceBus;
using Holdfast.Consumer;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Integration;

/// <summary>A worker in a process of its own, to be killed: this assembly, started with the arguments of a victim.</summary>
internal static class Victim
{
    public const string Verb = "victim";
    public const int MaxConcurrency = 16;

    // Beside the types of RabbitMQ's queues.
    private const string ServiceBus = "ServiceBus";

    // In the environment, because it holds a password.
    private const string Uri = "VICTIM_URI";

    public static Process Start(string uri, QueueType type, string queue, string journal) => Start(uri, $"{type}", queue, journal);

    /// <summary>The same on Service Bus, at that connection string.</summary>
    public static Process StartOnServiceBus(string address, string queue, string journal) => Start(address, ServiceBus, queue, journal);

    /// <summary>Works until its standard input ends, which it does with whoever started it.</summary>
    public static async Task<int> RunAsync(string kind, string queue, string path)
    {
        using var journal = new Journal(path);
        await using var broker = NewBroker(kind, Environment.GetEnvironmentVariable(Uri)!);
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Logging.ClearProviders();
        builder.Services.AddHoldfast(options => options.Threads = 2).UseBroker(_ => broker).Handle(queue, HandleAsync, options => options.MaxConcurrency = MaxConcurrency);
        using var host = builder.Build();

        await host.StartAsync();
        await Console.In.ReadToEndAsync();
        await host.StopAsync();
        return 0;

        async ValueTask<Settlement> HandleAsync(HeldMessage message, CancellationToken cancel)
        {
            journal.Begin(message.Id);
            await Task.Delay(30, cancel);
            journal.End(message.Id);
            return message.Id.EndsWith('7') ? Settlement.DeadLetter("Seven", "Every tenth is put aside.") : Settlement.Complete;
        }
    }

    private static Process Start(string uri, string kind, string queue, string journal)
    {
        var start = new ProcessStartInfo(Environment.ProcessPath!, [.. Dll(), Verb, kind, queue, journal]) { RedirectStandardInput = true };
        start.Environment[Uri] = uri;
        return Process.Start(start)!;
    }

    private static IBroker NewBroker(string kind, string uri) => kind == ServiceBus
        ? new ServiceBusBroker(new ServiceBusBrokerOptions { ConnectionString = uri })
        : new RabbitMqBroker(new RabbitMqBrokerOptions { Uri = uri, QueueType = Enum.Parse<QueueType>(kind) });

    // Run by dotnet, this process has to be told what to run; run as a program of its own, it knows.
    private static string[] Dll() =>
        Path.GetFileNameWithoutExtension(Environment.ProcessPath) == "dotnet" ? [typeof(Victim).Assembly.Location] : [];
}
