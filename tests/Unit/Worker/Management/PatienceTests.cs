using Holdfast.Virtual;
using Holdfast.Worker.Management;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Holdfast.Tests.Unit.Worker.Management;

public sealed class PatienceTests : IDisposable
{
    private static readonly TimeSpan s_moment = TimeSpan.FromMilliseconds(1);

    private readonly VirtualTime _time = new();
    private readonly Connection _connection = new();
    private readonly Patience _patience;

    public PatienceTests() => _patience = new Patience(_time);

    public void Dispose() => _patience.Dispose();

    [Fact]
    public async Task Who_takes_nothing_for_half_a_minute_is_cut_off()
    {
        var answer = _patience.AnswerAsync(_connection.Ask(), NeverTaken);

        await IsCutOffAfterAsync(TimeSpan.FromSeconds(30), answer);
    }

    [Fact]
    public async Task Who_has_taken_his_answer_may_stay()
    {
        await _patience.AnswerAsync(_connection.Ask(), _ => Task.CompletedTask);

        _time.Advance(TimeSpan.FromHours(1));

        Assert.False(_connection.RequestAborted.IsCancellationRequested);
    }

    [Fact]
    public async Task Who_takes_nothing_at_the_end_holds_it_up_for_a_second()
    {
        var answer = _patience.AnswerAsync(_connection.Ask(), NeverTaken);
        await _patience.StopAsync(default);

        await IsCutOffAfterAsync(TimeSpan.FromSeconds(1), answer);
    }

    [Fact]
    public async Task All_that_is_looked_at_is_offered_with_patience()
    {
        var asked = new TaskCompletionSource<HttpContext>();
        using var host = new HostBuilder()
            .ConfigureServices(services => services.AddRoutingCore().AddSingleton(_patience))
            .ConfigureWebHost(web => web.UseTestServer().Configure(app => app.UseRouting().UseEndpoints(e => e.MapLook("/", context =>
            {
                asked.SetResult(context);
                return NeverTaken(context);
            }))))
            .Build();
        await host.StartAsync(TestContext.Current.CancellationToken);
        var answer = host.GetTestClient().GetAsync("/", TestContext.Current.CancellationToken);
        var context = await asked.Task;

        _time.Advance(TimeSpan.FromSeconds(30));

        Assert.True(context.RequestAborted.IsCancellationRequested);
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => answer);
    }

    private async Task IsCutOffAfterAsync(TimeSpan patience, Task answer)
    {
        _time.Advance(patience - s_moment);
        Assert.False(answer.IsCompleted);
        _time.Advance(s_moment);

        Assert.True(_connection.RequestAborted.IsCancellationRequested);
        await Assert.ThrowsAsync<TaskCanceledException>(() => answer);
    }

    private static Task NeverTaken(HttpContext context) => Task.Delay(Timeout.Infinite, context.RequestAborted);
}
