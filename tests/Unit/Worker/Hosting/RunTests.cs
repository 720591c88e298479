using System.Net.Sockets;
using Holdfast.Consumer;
using Holdfast.Worker.Hosting;
using Holdfast.Worker.Terminal;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class RunTests : IDisposable
{
    private readonly StringWriter _error = new();

    public void Dispose() => _error.Dispose();

    [Fact]
    public void A_stop_that_was_asked_for_is_no_failure()
    {
        Assert.Equal(0, Run.Outcome(new FakeEngine().Status, _error));
        Assert.Empty(_error.ToString());
    }

    [Fact]
    public void A_fault_of_the_engines_ends_the_process_with_a_line()
    {
        Assert.Equal(1, Run.Outcome(new FakeEngine().Status with { Fault = "the lease loop crashed\nat once" }, _error));
        Assert.Equal("Holdfast had to stop: the lease loop crashed at once\n", _error.ToString());
    }

    [Fact]
    public void What_the_engine_finds_wrong_is_told_by_the_name_that_people_set()
    {
        var wrong = new InvalidOptionsException([new("Lease__RenewAfter", "must be between 0 and 1"), new("Threads", "must be at least 1")]);

        Assert.Equal(78, Run.Explain(wrong, _error));
        Assert.Equal("Worker__Lease__RenewAfter: must be between 0 and 1\nWorker__Threads: must be at least 1\n", _error.ToString());
    }

    [Fact]
    public void A_connection_string_is_told_by_its_own_name()
    {
        Assert.Equal(78, Run.Explain(new InvalidOptionsException([new("ConnectionStrings__RabbitMq", "is missing")]), _error));
        Assert.Equal("ConnectionStrings__RabbitMq: is missing\n", _error.ToString());
    }

    [Fact]
    public async Task Who_is_told_to_stop_while_it_starts_stops_well()
    {
        var engine = new FakeEngine();
        engine.EndDrain();
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Services.AddSingleton<IEngine>(engine).AddSingleton<IHostedService>(engine).AddHostedService<StoppedAtStart>();

        Assert.Equal(0, Run.Outcome(await Run.ToEndAsync(builder.Build(), CancellationToken.None), _error));
        Assert.True(engine.Draining.Task.IsCompletedSuccessfully);
    }

    [Theory]
    [InlineData("http_ports=80", SocketError.AccessDenied, "ASPNETCORE_HTTP_PORTS: This user may not open a port of 80; choose one from 1024 on, such as ASPNETCORE_HTTP_PORTS=8081.")]
    [InlineData("urls=http://unix:/tmp/no/worker.sock", SocketError.AccessDenied, "ASPNETCORE_URLS: This user may not make a socket at /tmp/no/worker.sock; name one in a folder that it may write to, such as ASPNETCORE_URLS=http://unix:/tmp/worker.sock.")]
    [InlineData("urls=http://+:80", SocketError.AccessDenied, "ASPNETCORE_URLS: This user may not open a port of http://+:80; choose one from 1024 on, such as ASPNETCORE_URLS=http://+:8081.")]
    [InlineData("urls=http://1.2.3.4:8080", SocketError.AddressNotAvailable, "ASPNETCORE_URLS: http://1.2.3.4:8080 is no address of this machine; choose one that is, or all, such as ASPNETCORE_URLS=http://+:8081.")]
    public async Task A_port_that_can_not_be_had_is_told_by_the_setting_that_asks_for_it(string set, SocketError refused, string told)
    {
        var builder = Host.CreateEmptyApplicationBuilder(null);
        builder.Configuration.AddInMemoryCollection([KeyValuePair.Create(set.Split('=')[0], (string?)set.Split('=')[1])]);
        builder.Services.AddHostedService(_ => new RefusedAtStart(new SocketException((int)refused)));

        var problem = await Assert.ThrowsAsync<InvalidOptionsException>(() => Run.ToEndAsync(builder.Build(), CancellationToken.None));

        Assert.Equal(78, Run.Explain(problem, _error));
        Assert.Equal($"{told}\n", _error.ToString());
    }

    [Fact]
    public void An_error_that_can_not_be_written_changes_no_exit_code()
    {
        using var full = new ErrorOutput(new StreamWriter(new FileStream("/dev/full", FileMode.Open, FileAccess.Write, FileShare.ReadWrite, bufferSize: 0)) { AutoFlush = true });

        Assert.Equal(78, Run.Explain(new InvalidOptionsException([new("Threads", "must be at least 1")]), full));
    }

    [Fact]
    public void Anything_else_is_a_line_too()
    {
        Assert.Equal(1, Run.Explain(new InvalidOperationException("no\nway"), _error));
        Assert.Equal("Holdfast can't run: no way\n", _error.ToString());
    }

    /// <summary>The signal to stop comes while it starts, and its start heeds it.</summary>
    private sealed class StoppedAtStart(IHostApplicationLifetime lifetime) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken)
        {
            lifetime.StopApplication();
            cancellationToken.ThrowIfCancellationRequested();
            return Task.CompletedTask;
        }

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }

    /// <summary>A server whose port it does not get.</summary>
    private sealed class RefusedAtStart(Exception problem) : IHostedService
    {
        public Task StartAsync(CancellationToken cancellationToken) => Task.FromException(problem);

        public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;
    }
}
