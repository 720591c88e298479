namespace Holdfast.Tests.Worlds;

/// <summary>No settlement is sent for a lease that is not trusted, and nobody is told of more trust than there is.</summary>
internal sealed class SettledWhileTrusted(WorldPlan plan) : Rule(plan)
{
    private readonly HashSet<int> _letGo = [];

    protected override void See(in Event happened)
    {
        switch (happened.Kind)
        {
            case EventKind.LetGo:
                if (!_letGo.Add(happened.Delivery))
                    Broken($"The broker was told twice that m{happened.Message} is not trusted.");
                break;
            case EventKind.SettleAsked when _letGo.Contains(happened.Delivery):
                Broken($"m{happened.Message} was settled after the broker was told that it is lost.");
                break;
            case EventKind.SettleAsked when happened.Time >= Trusts.Until(happened.Delivery):
                Broken($"m{happened.Message} was settled at a time when its lease was trusted only until {Trusts.Until(happened.Delivery).TotalSeconds:0.0000}.");
                break;
            case EventKind.Begun or EventKind.GoesOn or EventKind.Ended:
                var left = Trusts.Until(happened.Delivery) - happened.Time;
                if (happened.B > Math.Max(0, left.Ticks))
                    Broken($"The handler of m{happened.Message} was told of {new TimeSpan(happened.B).TotalSeconds:0.0000} s of trust, of which there are {left.TotalSeconds:0.0000}.");
                break;
        }
    }
}
