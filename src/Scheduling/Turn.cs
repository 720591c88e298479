using System.Runtime.CompilerServices;

namespace Holdfast.Scheduling;

/// <summary>
/// What <c>await lanes.Turn(lane)</c> waits for: the caller goes on in that lane, as nobody's strand, so that a later await resumes wherever its answer arrives.
/// </summary>
public readonly struct Turn : ICriticalNotifyCompletion
{
    private readonly LaneScheduler _lanes;
    private readonly Lane _lane;

    internal Turn(LaneScheduler lanes, Lane lane)
    {
        _lanes = lanes;
        _lane = lane;
    }

    public bool IsCompleted => false;

    public Turn GetAwaiter() => this;

    public void GetResult()
    {
    }

    public void OnCompleted(Action continuation) => UnsafeOnCompleted(continuation);

    public void UnsafeOnCompleted(Action continuation) => _lanes.Postbox.Post(_lane, continuation);
}
