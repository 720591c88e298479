namespace Holdfast.Bench;

/// <summary>One question put to the code: what must hold, in which columns its answer is shown, and the parts it is measured in.</summary>
internal sealed record Case(string Name, string About, string[] Columns, Part[] Parts)
{
    /// <summary>Whether it is measured on a RabbitMQ server.</summary>
    public bool NeedsRabbitMq { get; init; }

    /// <summary>Whether it is measured on the Service Bus broker of the tests.</summary>
    public bool NeedsServiceBus { get; init; }

    /// <summary>Whether it is measured in Chromium.</summary>
    public bool NeedsBrowser { get; init; }
}

/// <summary>A piece of a case, measured in a process of its own, so that none can spoil the next; in a cgroup with that many CPUs where a quota is named.</summary>
internal sealed record Part(string Name, Func<Scale, Outcome> Measure, double? Quota = null);

/// <summary>What a part found, and how many CPUs others used meanwhile.</summary>
internal sealed record Outcome(Row[] Rows, params string[] Notes)
{
    public double OtherCpus { get; init; }

    /// <summary>What of it is to be seen in the case's chart.</summary>
    public Bar[] Bars { get; init; } = [];
}

/// <summary>
/// A line of a table: its cells, the bound that must hold, and whether it does; null where there is none.
/// It is relative where whatever else runs here strikes both sides of the bound alike.
/// </summary>
internal sealed record Row(string[] Cells, string Bound = "", bool? Holds = null, bool IsRelative = false);

/// <summary>How much is measured: all, or just enough to see that it runs.</summary>
internal sealed record Scale(bool IsQuick)
{
    public T Pick<T>(T full, T quick) => IsQuick ? quick : full;
}
