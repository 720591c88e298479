using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Integration.Http;

/// <summary>Hands a message to the handler, as the engine does.</summary>
internal static class Posting
{
    private static readonly TimeSpan s_tooLong = TimeSpan.FromSeconds(60);

    public static HttpHandler Handler(string url, Action<HttpOptions>? configure = null)
    {
        var options = new HttpOptions { Url = url };
        configure?.Invoke(options);
        return new HttpHandler("orders", options, TimeSpan.FromMinutes(10), TimeProvider.System);
    }

    public static async Task<Settlement> PostAsync(string url, Message? message = null, Action<HttpOptions>? configure = null)
    {
        using var handler = Handler(url, configure);
        return await handler.PostAsync(message);
    }

    public static Task<Settlement> PostAsync(this HttpHandler handler, Message? message = null, CancellationToken cancel = default) =>
        handler.HandleAsync(new HeldMessage("orders", message ?? new Message { Id = "a" }), cancel).AsTask().WaitAsync(s_tooLong, CancellationToken.None);

    /// <summary>What the queue's policy is told.</summary>
    public static async Task<string> FailureAsync(string url, Message? message = null, Action<HttpOptions>? configure = null) =>
        (await Assert.ThrowsAsync<EndpointException>(() => PostAsync(url, message, configure))).Message;
}
