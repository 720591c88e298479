namespace Holdfast.Broker.RabbitMq;

/// <summary>A file of certificates or keys that is missing, or does not hold what it should. The message says what would be right.</summary>
internal sealed class TlsFileException(string setting, string message, Exception? cause = null) : Exception(message, cause)
{
    /// <summary>The setting that names the file, without what all settings begin with.</summary>
    public string Setting => setting;
}
