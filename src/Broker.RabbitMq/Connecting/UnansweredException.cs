namespace Holdfast.Broker.RabbitMq;

/// <summary>The server was asked something, and has said nothing for so long.</summary>
internal class UnansweredException(TimeSpan patience) : Exception
{
    public TimeSpan Patience => patience;
}

/// <summary>What was to be sent has waited for so long, and has not left.</summary>
internal sealed class UnsentException(TimeSpan patience) : UnansweredException(patience);

/// <summary>A sign of life was asked for, and there was none.</summary>
internal sealed class SilentException(TimeSpan patience) : UnansweredException(patience);
