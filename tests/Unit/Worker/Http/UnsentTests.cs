using System.Net;
using System.Net.Sockets;
using System.Security.Authentication;
using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class UnsentTests
{
    [Theory]
    [InlineData(true, false, " Set Worker__Http__CaFile to the authority that signed its certificate.")]
    [InlineData(false, true, " Set in Worker__Http__Url a host that the certificate names.")]
    [InlineData(false, false, "")]
    public void Who_is_not_trusted_by_his_certificate_is_told_what_helps(bool isOfNobodyKnown, bool isMisnamed, string cure) => Assert.Equal(
        $"https://shop can't be trusted: self-signed certificate.{cure}",
        Told("https://shop/orders", new UntrustedException("self-signed certificate.") { IsOfNobodyKnown = isOfNobodyKnown, IsMisnamed = isMisnamed }));

    [Fact]
    public void Where_the_endpoint_speaks_no_TLS_it_is_its_proxy_that_is_not_trusted() => Assert.Equal(
        "The proxy before http://shop (https://proxy:3128) can't be trusted: certificate names another host. Set in HTTP_PROXY or ALL_PROXY a host that the certificate names.",
        Told("http://shop/orders", new UntrustedException("certificate names another host.") { IsMisnamed = true }, new Uri("https://user:s3cr3t@proxy:3128")));

    [Fact]
    public async Task Who_speaks_no_TLS_has_no_authority_to_be_trusted()
    {
        using var endpoint = new TcpListener(IPAddress.Loopback, 0);
        endpoint.Start();
        var at = $"https://127.0.0.1:{((IPEndPoint)endpoint.LocalEndpoint).Port}";
        var refusing = RefuseAsync(endpoint);
        using var handler = new HttpHandler("orders", new HttpOptions { Url = at }, TimeSpan.FromMinutes(10), TimeProvider.System);

        var failure = await Assert.ThrowsAsync<EndpointException>(() => handler.HandleAsync(new HeldMessage("orders", new Message { Id = "a" }), TestContext.Current.CancellationToken).AsTask());
        await refusing;

        Assert.StartsWith($"{at} does not speak TLS: ", failure.Message);
        Assert.EndsWith(" Set in Worker__Http__Url an address that does, or one that begins with http://.", failure.Message);
    }

    [Theory]
    [InlineData("Received an unexpected EOF.", "")]
    [InlineData("error:0A000410:SSL routines::sslv3 alert handshake failure", "")]
    [InlineData("error:0A000460:SSL routines::tlsv1 alert no application protocol", " Where it does not speak HTTP/2, set Worker__Http__Http2=false.")]
    public void Who_breaks_off_before_a_certificate_was_judged_is_not_said_to_be_untrusted(string text, string cure) => Assert.Equal(
        $"https://shop broke off while TLS was agreed on: {text}{cure}",
        Told("https://shop/orders", new AuthenticationException("Authentication failed, see inner exception.", new IOException(text))));

    [Theory]
    [InlineData(HttpRequestError.VersionNegotiationError, "Unable to establish HTTP/2 connection.", true)]
    [InlineData(HttpRequestError.Unknown, "An HTTP/2 connection could not be established because the server did not complete the HTTP/2 handshake.", true)]
    [InlineData(HttpRequestError.HttpProtocolError, "The HTTP/2 server sent invalid data on the connection. HTTP/2 error code 'PROTOCOL_ERROR' (0x1).", true)]
    [InlineData(HttpRequestError.HttpProtocolError, "The HTTP/2 server closed the connection. HTTP/2 error code 'HTTP_1_1_REQUIRED' (0xd).", true)]
    [InlineData(HttpRequestError.HttpProtocolError, "The HTTP/2 server reset the stream. HTTP/2 error code 'INTERNAL_ERROR' (0x2).", false)]
    [InlineData(HttpRequestError.HttpProtocolError, "The HTTP/2 server didn't respond to a ping request.", false)]
    [InlineData(HttpRequestError.ResponseEnded, "The response ended prematurely.", false)]
    public void Who_has_spoken_HTTP_2_is_not_told_to_be_without_it(HttpRequestError error, string text, bool isDoubted) => Assert.Equal(
        $"http://shop broke off: {text}{(isDoubted ? " Where it does not speak HTTP/2, set Worker__Http__Http2=false." : "")}",
        Unsent.Tell(new HttpRequestException(error, text), new Uri("http://shop/orders"), proxy: null).Message);

    [Fact]
    public void Who_takes_fewer_requests_at_once_is_told_by_the_setting() => Assert.Equal(
        "http://shop broke off: The request was aborted. Where it takes fewer requests at once, lower Worker__MaxConcurrency.",
        Unsent.Tell(new HttpRequestException("The request was aborted."), new Uri("http://shop/orders"), proxy: null).Message);

    [Fact]
    public void Who_breaks_off_for_another_reason_is_not_said_to_take_fewer_requests() => Assert.Equal(
        "http://shop broke off: The request was aborted.",
        Unsent.Tell(new HttpRequestException("An error occurred while sending the request.", new IOException("The request was aborted.")), new Uri("http://shop/orders"), proxy: null).Message);

    private static string Told(string url, Exception cause, Uri? proxy = null) =>
        Unsent.Tell(new HttpRequestException(HttpRequestError.SecureConnectionError, "The SSL connection could not be established.", cause), new Uri(url), proxy).Message;

    // As a web server does that was asked in another language.
    private static async Task RefuseAsync(TcpListener endpoint)
    {
        using var connection = await endpoint.AcceptTcpClientAsync();
        var stream = connection.GetStream();
        await stream.ReadExactlyAsync(new byte[1]);
        await stream.WriteAsync("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"u8.ToArray());
    }
}
