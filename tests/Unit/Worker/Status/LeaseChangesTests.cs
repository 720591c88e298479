using Holdfast.Consumer;
using Holdfast.Worker.Status;

namespace Holdfast.Tests.Unit.Worker.Status;

public sealed class LeaseChangesTests
{
    private static readonly HeldLease s_a = FakeEngine.Lease(1);
    private static readonly HeldLease s_b = FakeEngine.Lease(2);
    private static readonly HeldLease s_c = FakeEngine.Lease(3);

    [Fact]
    public void What_came_what_changed_and_what_went_is_told_and_nothing_else()
    {
        var renewed = s_b with { TrustedUntil = s_b.TrustedUntil + TimeSpan.FromSeconds(10) };

        var changes = LeaseChanges.Between([s_a, s_b], [renewed, s_c]);

        Assert.Equal([s_c], changes.Come);
        Assert.Equal([renewed], changes.Changed);
        Assert.Equal([1], changes.Gone);
    }

    [Fact]
    public void Another_order_is_no_change()
    {
        var changes = LeaseChanges.Between([s_a, s_b], [FakeEngine.Lease(2), FakeEngine.Lease(1)]);

        Assert.Empty(changes.Come);
        Assert.Empty(changes.Changed);
        Assert.Empty(changes.Gone);
    }
}
