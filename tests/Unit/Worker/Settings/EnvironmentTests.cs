using Holdfast.Worker.Hosting;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class EnvironmentTests
{
    [Theory]
    [InlineData("Worker__Queue=orders", "WORKER__QUEUE=parcels", "WORKER__QUEUE and Worker__Queue")]
    [InlineData("Worker__Queue=orders", "Worker:queue=parcels", "Worker:queue and Worker__Queue")]
    [InlineData("Worker__Queues__a__Handler=Demo", "Worker__Queues__A__Handler=Http", "Worker__Queues__A__Handler and Worker__Queues__a__Handler")]
    [InlineData("ConnectionStrings__RabbitMq=amqp://a", "ConnectionStrings__RabbitMQ=amqp://b", "ConnectionStrings__RabbitMQ and ConnectionStrings__RabbitMq")]
    [InlineData("ServiceBus__FullyQualifiedNamespace=a", "SERVICEBUS__FULLYQUALIFIEDNAMESPACE=", "SERVICEBUS__FULLYQUALIFIEDNAMESPACE and ServiceBus__FullyQualifiedNamespace")]
    [InlineData("Logging__LogLevel__Default=Debug", "LOGGING__LOGLEVEL__DEFAULT=Error", "LOGGING__LOGLEVEL__DEFAULT and Logging__LogLevel__Default")]
    [InlineData("ASPNETCORE_URLS=http://+:1", "aspnetcore_urls=http://+:2", "ASPNETCORE_URLS and aspnetcore_urls")]
    [InlineData("OTEL_TRACES_SAMPLER=always_on", "otel_traces_sampler=always_off", "OTEL_TRACES_SAMPLER and otel_traces_sampler")]
    public void What_is_said_twice_and_differs_is_told_in_a_line_by_all_its_names(string one, string other, string names)
    {
        var line = $"Environment: {names} are one setting, for case does not count, and their values differ; leave one of them.";

        Assert.Equal([line], Mistakes(one, other));
        Assert.Equal([line], Mistakes(other, one));
    }

    [Fact]
    public void Of_many_all_are_named() =>
        Assert.StartsWith("Environment: WORKER__QUEUE, Worker__Queue and worker__queue are", Assert.Single(Mistakes("worker__queue=a", "Worker__Queue=a", "WORKER__QUEUE=b", "Worker__Threads=2")));

    [Theory]
    [InlineData("Worker__Queue=orders", "WORKER__QUEUE=orders")]
    [InlineData("Worker__Queues__a__Handler=Demo", "Worker__Queues__A__Queue=orders")]
    [InlineData("http_proxy=http://a", "HTTP_PROXY=http://b")]
    [InlineData("WORKER_PORT=a", "Worker_Port=b")]
    public void What_does_not_differ_or_is_not_ours_may_stand_twice(string one, string other) => Assert.Empty(Mistakes(one, other));

    [Theory]
    [InlineData("Worker_Queue=x", "Worker_Queue is no setting; set Worker__Queue, with two underscores.")]
    [InlineData("WORKER_THREADS=2", "WORKER_THREADS is no setting; set Worker__Threads, with two underscores.")]
    [InlineData("worker_Http_Url=http://a", "worker_Http_Url is no setting; set Worker__Http__Url, with two underscores.")]
    [InlineData("Worker_MAX_CONCURRENCY=5", "Worker_MAX_CONCURRENCY is no setting; set Worker__MaxConcurrency, with two underscores.")]
    [InlineData("Worker_Queues__a__Handler=Http", "Worker_Queues__a__Handler is no setting; set Worker__Queues__a__Handler, with two underscores.")]
    public void A_setting_whose_name_has_one_underscore_in_place_of_two_is_told_with_the_right_one(string set, string line) =>
        Assert.Equal([$"Environment: {line}"], Mistakes(set));

    [Theory]
    [InlineData("DOTNET_URLS=http://*:9000", "DOTNET_URLS is no setting; set ASPNETCORE_URLS instead.")]
    [InlineData("DOTNET_HTTP_PORTS=9000", "DOTNET_HTTP_PORTS is no setting; set ASPNETCORE_HTTP_PORTS instead.")]
    [InlineData("dotnet_https_ports=9000", "dotnet_https_ports is no setting; set ASPNETCORE_HTTPS_PORTS instead.")]
    public void An_address_by_the_prefix_that_the_hosts_of_NET_read_in_different_ways_is_told_with_the_other(string set, string line) =>
        Assert.Equal([$"Environment: {line}"], Mistakes(set));

    [Theory]
    [InlineData("DOTNET_ENVIRONMENT=Development")]
    [InlineData("DOTNET_RUNNING_IN_CONTAINER=true")]
    [InlineData("WORKER_PORT=tcp://10.0.0.1:8080")]
    [InlineData("WORKER_SERVICE_HOST=10.0.0.1")]
    [InlineData("WORKER_QUEUES_PORT=tcp://10.0.0.1:8080")]
    [InlineData("WORKER_ID=7")]
    [InlineData("WORKER=7")]
    [InlineData("Worker__Queue=orders")]
    public void What_names_no_setting_is_somebody_else_s(string set) => Assert.Empty(Mistakes(set));

    private static string[] Mistakes(params string[] set) =>
        [.. EnvironmentRules.Broken([.. set.Select(pair => pair.Split('=', 2)).Select(pair => KeyValuePair.Create(pair[0], pair[1]))]).Select(Run.Line)];
}
