using System.Text;
using System.Text.Json;
using Holdfast.Virtual;
using Holdfast.Worker.Status;

namespace Holdfast.Tests.Unit.Worker.Status;

/// <summary>A feed that beats when it is told to, on a clock moved by hand.</summary>
internal sealed class Feeding : IDisposable
{
    public Feeding() =>
        Feed = new StatusFeed(Engine, new WorkerFacts("1.2.3", "holdfast-0", "InMemory", "Demo", Time.GetUtcNow(), [new("Worker__Queue", "orders")], "1a2b"), Time, Log);

    public VirtualTime Time { get; } = new();

    public FakeEngine Engine { get; } = new();

    public Notes<StatusFeed> Log { get; } = new();

    public StatusFeed Feed { get; }

    /// <summary>Lets this many beats pass.</summary>
    public void Beat(int times = 1)
    {
        for (var i = 0; i < times; i++)
        {
            Time.Advance(Lookout.Period);
            Feed.Tick();
        }
    }

    public long Enter()
    {
        Assert.True(Feed.TryEnter(out var latest));
        return latest;
    }

    /// <summary>The frame that is there already.</summary>
    public Frame Next(long seen)
    {
        var next = Feed.NextAsync(seen, default);
        Assert.True(next.IsCompleted, "There is no frame yet.");
        return next.Result!;
    }

    public static JsonElement Data(byte[] frame)
    {
        var text = Encoding.UTF8.GetString(frame);
        var data = text[(text.IndexOf("data: ", StringComparison.Ordinal) + 6)..];
        Assert.EndsWith("\n\n", data);
        Assert.DoesNotContain('\n', data[..^2]);
        return JsonDocument.Parse(data).RootElement;
    }

    public void Dispose() => Feed.Dispose();
}
