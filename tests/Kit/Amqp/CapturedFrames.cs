namespace Holdfast.Tests.Kit.Amqp;

/// <summary>Frames of conversations between Microsoft's JavaScript client for Service Bus and a broker on the rhea engine, as the wire had them.</summary>
internal static class CapturedFrames
{
    public static IReadOnlyList<byte[]> All { get; } = Load();

    private static List<byte[]> Load()
    {
        using var reader = new StreamReader(typeof(CapturedFrames).Assembly.GetManifestResourceStream("CapturedFrames")!);
        return [.. reader.ReadToEnd().Split('\n', StringSplitOptions.RemoveEmptyEntries).Select(Convert.FromHexString)];
    }
}
