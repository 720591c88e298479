using System.Diagnostics.CodeAnalysis;
using Holdfast.Broker;

namespace Holdfast.Tests.Unit.Consumer;

/// <summary>A delivery that no broker has made.</summary>
internal sealed class Bare : Delivery
{
    [SetsRequiredMembers]
    public Bare(string id, string body = "", DateTimeOffset enqueuedAt = default)
    {
        Message = new Message { Id = id, Body = System.Text.Encoding.UTF8.GetBytes(body) };
        DeliveryCount = 1;
        EnqueuedAt = enqueuedAt;
        LockDuration = TimeSpan.FromMinutes(5);
    }

    /// <summary>Whether its id is one that was made up for this delivery.</summary>
    public bool IsNameless { get; init; }

    public override bool IsNamed => base.IsNamed && !IsNameless;
}
