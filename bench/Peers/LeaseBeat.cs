using System.Diagnostics.Metrics;
using Holdfast.Consumer;

namespace Holdfast.Bench;

/// <summary>Listens to how late Holdfast says that it sent each renewal.</summary>
internal sealed class LeaseBeat
{
    private readonly List<double> _late = [];

    public LeaseBeat()
    {
        var listener = new MeterListener { InstrumentPublished = Listen };
        listener.SetMeasurementEventCallback<double>(Note);
        listener.Start();
    }

    public double[] Lateness()
    {
        lock (_late)
            return [.. _late];
    }

    private static void Listen(Instrument instrument, MeterListener listener)
    {
        if (instrument.Meter.Name == Names.Meter && instrument.Name == Names.LeaseLateness)
            listener.EnableMeasurementEvents(instrument);
    }

    private void Note(Instrument instrument, double seconds, ReadOnlySpan<KeyValuePair<string, object?>> tags, object? state)
    {
        lock (_late)
            _late.Add(seconds * 1000);
    }
}
