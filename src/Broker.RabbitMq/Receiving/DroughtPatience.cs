namespace Holdfast.Broker.RabbitMq;

/// <summary>How long a receiver's intakes go between two looks at a queue that sends nothing: longer each time that a new intake was opened in vain.</summary>
internal sealed class DroughtPatience
{
    private static readonly TimeSpan s_least = TimeSpan.FromSeconds(15);
    private static readonly TimeSpan s_most = TimeSpan.FromHours(1);

    public TimeSpan Length { get; private set; } = s_least;

    public void Lengthen() => Length = Length * 2 < s_most ? Length * 2 : s_most;

    public void Restore() => Length = s_least;
}
