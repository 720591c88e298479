namespace Holdfast.Amqp;

/// <summary>What can't be read, or goes deeper or further than our limits, where the application's properties are: it can be sent on as it came. It holds what of it can be read.</summary>
/// <param name="encoded">The section, as it came: a slice of the payload.</param>
/// <param name="problem">What is wrong with it.</param>
public sealed class UnreadProperties(ReadOnlyMemory<byte> encoded, string problem) : ApplicationProperties
{
    public ReadOnlyMemory<byte> Encoded => encoded;

    public string Problem => problem;
}

/// <summary>
/// The same of a section whose keys are symbols. It holds what of it can be read, and the rest as <see cref="UnreadValue"/>s, so that it can be sent on in part, too.
/// </summary>
/// <param name="encoded">The section, as it came: a slice of the payload.</param>
/// <param name="problem">What is wrong with it.</param>
public sealed class UnreadFields(ReadOnlyMemory<byte> encoded, string problem) : AmqpFields
{
    public ReadOnlyMemory<byte> Encoded => encoded;

    public string Problem => problem;
}
