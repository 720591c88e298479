namespace Holdfast.Broker;

/// <summary>Reads what a setting says.</summary>
internal static class SettingText
{
    /// <exception cref="FormatException">It can't be read; the message begins with the setting's name.</exception>
    public static T Read<T>(string setting, string text, Func<string, T> read)
    {
        try
        {
            return read(text);
        }
        catch (FormatException wrong)
        {
            throw new FormatException($"{setting}: {wrong.Message}", wrong);
        }
    }
}
