using System.Net;
using System.Net.Sockets;
using System.Text;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Http;

/// <summary>The Http handler behind a proxy, which is the process's.</summary>
[Collection(nameof(Alone))]
public sealed class ProxyTests : IDisposable
{
    private readonly IWebProxy _before = HttpClient.DefaultProxy;
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);

    private readonly string _address;

    public ProxyTests()
    {
        _listener.Start();
        _address = $"http://{_listener.LocalEndpoint}";
        HttpClient.DefaultProxy = new WebProxy($"http://user:s3cr3t@{_listener.LocalEndpoint}");
    }

    public void Dispose()
    {
        HttpClient.DefaultProxy = _before;
        _listener.Dispose();
    }

    [Theory]
    [InlineData("407 Proxy Authentication Required", " Set its user and password in HTTPS_PROXY or ALL_PROXY, or the endpoint's host in NO_PROXY.")]
    [InlineData("403 Forbidden", "")]
    [InlineData("503 Service Unavailable", "")]
    public async Task One_that_refuses_the_way_is_told_without_its_password(string status, string cure)
    {
        var answering = AnswerAsync($"HTTP/1.1 {status}\r\nContent-Length: 0\r\n\r\n");

        var failure = await FailureAsync("https://shop.invalid/orders");
        await answering;

        Assert.Equal($"The proxy before https://shop.invalid ({_address}) answered {status}.{cure}", failure.Message);
        Assert.DoesNotContain("s3cr3t", failure.ToString());
    }

    [Theory]
    [InlineData("http://shop.invalid")]
    [InlineData("https://shop.invalid")]
    public async Task One_that_is_not_there_is_named_and_not_the_endpoint_alone(string url)
    {
        _listener.Stop();

        var failure = await FailureAsync(url);

        Assert.Equal($"The proxy before {url} ({_address}) can't be reached: Connection refused", failure.Message);
        Assert.DoesNotContain("s3cr3t", failure.ToString());
    }

    [Fact]
    public async Task One_whose_name_nobody_knows_is_named()
    {
        HttpClient.DefaultProxy = new WebProxy("http://user:s3cr3t@nowhere.invalid:3128");

        var failure = await FailureAsync("http://shop.invalid");

        Assert.StartsWith("The proxy before http://shop.invalid (http://nowhere.invalid:3128) can't be reached: ", failure.Message);
        Assert.DoesNotContain("s3cr3t", failure.ToString());
    }

    private static async Task<EndpointException> FailureAsync(string url)
    {
        using var handler = new HttpHandler("orders", new HttpOptions { Url = url }, TimeSpan.FromMinutes(10), TimeProvider.System);
        return await Assert.ThrowsAsync<EndpointException>(() => handler.HandleAsync(new HeldMessage("orders", new Message { Id = "a" }), TestContext.Current.CancellationToken).AsTask());
    }

    private async Task AnswerAsync(string text)
    {
        using var client = await _listener.AcceptTcpClientAsync();
        using var reader = new StreamReader(client.GetStream(), Encoding.ASCII, bufferSize: 1, leaveOpen: true);
        while (await reader.ReadLineAsync() is { Length: > 0 })
        {
        }

        await client.GetStream().WriteAsync(Encoding.ASCII.GetBytes(text));
    }
}
