namespace Holdfast.Tests.Worlds;

/// <summary>How things stand between one worker and the broker just now.</summary>
internal sealed class Weather
{
    public TimeSpan Distance { get; init; }

    public TimeSpan SlowRenewals { get; set; }

    public TimeSpan SlowSettlements { get; set; }

    public TimeSpan SlowReceives { get; set; }

    /// <summary>For how long the broker wants its peace, where it is too busy for what is asked of it.</summary>
    public TimeSpan Busy { get; set; }

    /// <summary>These are shares of a thousand.</summary>
    public int LostRequests { get; set; }

    public int LostReplies { get; set; }

    public int FailedRenewals { get; set; }

    public int FailedSettlements { get; set; }

    public int RejectedSettlements { get; set; }

    public int Duplicates { get; set; }

    /// <summary>How many causes there are for the connection to be gone.</summary>
    public int Cuts { get; set; }

    public void Set(TroubleKind kind, int size)
    {
        var time = TimeSpan.FromMilliseconds(size);
        switch (kind)
        {
            case TroubleKind.SlowRenewals: SlowRenewals = time; break;
            case TroubleKind.SlowSettlements: SlowSettlements = time; break;
            case TroubleKind.SlowReceives: SlowReceives = time; break;
            case TroubleKind.Busy: Busy = time; break;
            case TroubleKind.LostRequests: LostRequests = size; break;
            case TroubleKind.LostReplies: LostReplies = size; break;
            case TroubleKind.FailedRenewals: FailedRenewals = size; break;
            case TroubleKind.FailedSettlements: FailedSettlements = size; break;
            case TroubleKind.RejectedSettlements: RejectedSettlements = size; break;
            case TroubleKind.Duplicates: Duplicates = size; break;
            default: throw new ArgumentOutOfRangeException(nameof(kind), kind, "This is no weather.");
        }
    }
}
