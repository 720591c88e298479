using System.Runtime.CompilerServices;

namespace Holdfast.Broker.RabbitMq;

/// <summary>What a person asks of RabbitMQ, on a connection of its own.</summary>
public sealed class RabbitMqDesk : IBrokerDesk
{
    private readonly RabbitMqBrokerOptions _options;
    private readonly ServerAddress _address;
    private readonly Link _link;
    private readonly Questions _questions;
    private readonly ManagementApi? _management;

    /// <exception cref="FormatException">An address can't be read.</exception>
    public RabbitMqDesk(RabbitMqBrokerOptions options)
    {
        _options = options;
        _address = ServerAddress.Parse(options.Uri);
        _link = new Link(options, _address, "desk");
        _questions = new Questions(_address, options.TimeProvider);
        _management = ManagementApi.Of(options);
    }

    /// <summary>The server hands out what nobody else has, and tells by AMQP of nothing else.</summary>
    public bool SeesHeld => false;

    public string DeadLettersOf(string queue) => QueueArguments.DeadLetterQueueOf(queue);

    /// <summary>The server can't show a message without handing it out. It has each back when the look ends, but marks it as handed out once more.</summary>
    public async IAsyncEnumerable<QueuedMessage> LookAsync(string queue, int? most, [EnumeratorCancellation] CancellationToken cancel)
    {
        await using var sweep = await OpenAsync(queue, target: null, _ => null, rate: null, most, cancel).ConfigureAwait(false);
        while (await sweep.NextAsync(cancel).ConfigureAwait(false) is { } message)
            yield return message;
    }

    public async ValueTask<ISweep> SweepAsync(string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, CancellationToken cancel) =>
        await OpenAsync(queue, target, keyOf, rate, most, cancel).ConfigureAwait(false);

    public IAsyncEnumerable<Finding> CheckAsync(string queue, int maxDeliveries, CancellationToken cancel) =>
        new Inspection(_options, _address, _link, _questions, _management, queue, maxDeliveries).RunAsync(cancel);

    public ValueTask DisposeAsync()
    {
        _management?.Dispose();
        return _link.DisposeAsync();
    }

    private async ValueTask<Sweep> OpenAsync(string queue, string? target, Func<Message, string?> keyOf, double? rate, int? most, CancellationToken cancel)
    {
        var connection = await _link.OpenAsync(cancel).ConfigureAwait(false);
        var sweep = new Sweep(connection, _questions, _options, queue, target, keyOf, rate, most, problem => Problems.OfSweep(problem, _address, queue, _link.Obstacle));
        try
        {
            await sweep.OpenAsync(cancel).ConfigureAwait(false);
            return sweep;
        }
        catch (Exception)
        {
            await sweep.DisposeAsync().ConfigureAwait(false);
            throw;
        }
    }
}
