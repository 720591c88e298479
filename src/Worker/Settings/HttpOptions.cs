namespace Holdfast.Worker.Settings;

/// <summary>Where the Http handler posts messages to, and how.</summary>
internal sealed class HttpOptions
{
    public string? Url { get; set; }

    /// <summary>How long the endpoint may take to answer.</summary>
    public TimeSpan Timeout { get; set; } = TimeSpan.FromMinutes(1);

    /// <summary>Whether HTTP/2 is spoken, without TLS by prior knowledge, instead of HTTP/1.1.</summary>
    public bool Http2 { get; set; }

    /// <summary>What requests are signed with: one key or, while they change, several with spaces between them.</summary>
    [NeverBlank]
    public string? SigningKey { get; set; }

    /// <summary>The header of that name.</summary>
    [NeverBlank]
    public string? Authorization { get; set; }

    public string? CaFile { get; set; }
}
