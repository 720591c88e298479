using System.Text;
using Holdfast.Broker;
using Holdfast.Worker.Commands;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Configuration;

namespace Holdfast.Tests.Unit.Worker.Commands;

/// <summary>A call of the program, on a desk and a broker of the test's own.</summary>
internal sealed class Calling : IDisposable
{
    private readonly StringWriter _output = new();
    private readonly StringWriter _error = new();

    public FakeDesk Desk { get; init; } = new();

    public Postbox Post { get; init; } = new();

    /// <summary>What is piped in.</summary>
    public string? Input { get; init; }

    /// <summary>Where that comes from, if it does not simply end.</summary>
    public Stream? Pipe { get; init; }

    public Func<string, CancellationToken, Task<bool>>? Ask { get; init; }

    /// <summary>Whether standard output takes nothing.</summary>
    public bool IsOutputFull { get; init; }

    public Dictionary<string, string?> Settings { get; } = new() { ["Worker:Broker"] = "RabbitMq", ["ConnectionStrings:RabbitMq"] = "amqp://nobody" };

    /// <summary>How the settings are read, where that matters.</summary>
    public Func<IConfiguration>? Read { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;

    public string[] Output => Lines(_output);

    public string[] Error => Lines(_error);

    public Workbench Bench => new()
    {
        Output = IsOutputFull ? new CommandOutput(new FullDisk()) : _output,
        Error = _error,
        Input = Input is { } text ? new MemoryStream(Encoding.UTF8.GetBytes(text)) : Pipe,
        Ask = Ask,
        Configuration = Read ?? (() => new ConfigurationBuilder().AddInMemoryCollection(Settings).Build()),
        Time = Time,
        Brokers = new Dictionary<string, Func<IServiceProvider, IBroker>> { ["RabbitMq"] = _ => Post },
        Desks = new Dictionary<string, Func<IServiceProvider, IBrokerDesk>> { ["RabbitMq"] = _ => Desk },
    };

    public Task<int> RunAsync(params string[] arguments) => CommandLine.RunAsync(arguments, Bench);

    public void Dispose()
    {
        _output.Dispose();
        _error.Dispose();
    }

    public static QueuedMessage Letter(string id, string? reason = null, DateTimeOffset? at = null, string body = "", params (string Name, object? Value)[] properties) => new()
    {
        Message = new() { Id = id, Body = Encoding.UTF8.GetBytes(body), Properties = properties.ToDictionary(property => property.Name, property => property.Value) },
        Reason = reason,
        PutAsideAt = at,
    };

    private static string[] Lines(StringWriter text) => text.ToString().Split('\n', StringSplitOptions.RemoveEmptyEntries);

    private sealed class FullDisk : TextWriter
    {
        public override Encoding Encoding => Encoding.UTF8;

        public override void Write(char value) => throw new IOException("No space left on device");
    }
}
