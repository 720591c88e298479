namespace Holdfast.Broker.RabbitMq;

/// <summary>Follows what the server itself gives up of a queue: it expired, was delivered too often, or there was no more room.</summary>
internal sealed class DeadLetterRoute(ManagementApi management, string virtualHost, string queue, bool isDeclared)
{
    private readonly string _dead = QueueArguments.DeadLetterQueueOf(queue);

    private string Cure => $"set a policy with dead-letter-exchange \"\" and dead-letter-routing-key {_dead}";

    public async Task<Finding[]> FindingsAsync(QueueReport report, CancellationToken cancel)
    {
        Course course;
        try
        {
            course = await FollowAsync(report, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem)
        {
            course = new(Severity.Warning, "goes where we can't follow it", problem.Message);
        }

        var given = new Finding(course.Severity, $"What the server itself gives up {course.Where}{(course.Why is { } why ? $": {why}" : ".")}");
        return report.MessageLife is { } life
            ? [given, Finding.Warning($"What has waited in the queue for {life:c} is given up unhandled (message-ttl), and {course.Where}. Take that away where a worker that was away for so long is to find it still.")]
            : [given];
    }

    private Task<Course> FollowAsync(QueueReport report, CancellationToken cancel) => report.DeadLetterExchange switch
    {
        null => Task.FromResult(Lost("the queue names no dead-letter exchange")),
        "" when (report.DeadLetterKey ?? queue) == queue => Task.FromResult(new Course(
            Severity.Warning,
            $"comes back to '{queue}', or is lost",
            $"its dead-letter-exchange is \"\", and the key is its own name; {Cure}.")),
        "" => ToQueueAsync(report.DeadLetterKey!, cancel),
        var exchange => ByExchangeAsync(exchange, report.DeadLetterKey ?? queue, cancel),
    };

    private async Task<Course> ToQueueAsync(string name, CancellationToken cancel)
    {
        try
        {
            await management.ReportAsync(virtualHost, name, cancel).ConfigureAwait(false);
        }
        catch (BrokerException problem) when (ManagementApi.IsMissing(problem))
        {
            return name == _dead && isDeclared
                ? new(Severity.Ok, $"goes on to '{name}', once the worker has declared that", Why: null)
                : Lost($"it is sent to the queue '{name}', which is not there");
        }

        return Reaching([new(name, IsQueue: true, name)], "");
    }

    private async Task<Course> ByExchangeAsync(string exchange, string key, CancellationToken cancel)
    {
        try
        {
            var report = await management.ExchangeAsync(virtualHost, exchange, cancel).ConfigureAwait(false);
            if (report.Bindings.Count == 0)
                return Lost($"it is sent to the exchange '{exchange}', which is bound to nothing");
            return report.To(key) switch
            {
                [] => Lost($"it is sent to the exchange '{exchange}', which is bound to nothing by the key '{key}'"),
                { } reached => Reaching(reached, $" by the exchange '{exchange}'"),
                null => Reaching(report.Bindings, $" by the exchange '{exchange}', as far as its bindings take the key '{key}'"),
            };
        }
        catch (BrokerException problem) when (ManagementApi.IsMissing(problem))
        {
            return Lost($"it is sent to the exchange '{exchange}', which is not there");
        }
    }

    private Course Reaching(IReadOnlyList<Binding> reached, string by) => reached.Any(binding => binding.IsQueue && binding.To == _dead)
        ? new(Severity.Ok, $"goes on to '{_dead}'{by}", Why: null)
        : new(Severity.Warning, $"goes on to {string.Join(", ", reached.Distinct())}{by}", $"the dead commands look into '{_dead}', unless --from names another queue; {Cure}, to have it there.");

    private Course Lost(string why) => new(Severity.Warning, "is lost", $"{why}; {Cure}.");

    /// <summary>Where it goes, and why that is worth a word.</summary>
    private sealed record Course(Severity Severity, string Where, string? Why);
}
