using Holdfast.Broker;

namespace Holdfast.Consumer;

/// <summary>Sends, measures it, and gives each message the trace that it is sent in. Any thread.</summary>
internal sealed class ObservedSender(ISender sender, SendTracer tracer, SendMeter meter, TimeProvider time) : ISender
{
    public async ValueTask SendAsync(Message message, TimeSpan delay, CancellationToken cancel)
    {
        var begun = time.GetTimestamp();
        var span = tracer.Start(message);
        try
        {
            await sender.SendAsync(SendTracer.Stamp(message, span), delay, cancel);
            meter.Done(time.GetElapsedTime(begun));
            tracer.Sent(span);
        }
        catch (Exception error)
        {
            meter.Failed(error, time.GetElapsedTime(begun));
            tracer.Sent(span, error);
            throw;
        }
    }

    public ValueTask DisposeAsync() => sender.DisposeAsync();
}
