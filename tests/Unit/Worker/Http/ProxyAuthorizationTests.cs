using System.Net;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class ProxyAuthorizationTests
{
    private static readonly Uri s_endpoint = new("http://shop.example/orders");

    [Theory]
    [InlineData("http://proxy:3128")]
    [InlineData("https://proxy:3128")]
    public void A_proxy_before_an_endpoint_at_http_is_told_at_once_who_asks(string proxy) =>
        Assert.Equal("Basic aGFuczpww6Q6c3M=", ProxyAuthorization.For(s_endpoint, new WebProxy(proxy) { Credentials = new NetworkCredential("hans", "pä:ss") }));

    [Fact]
    public void A_user_of_a_domain_is_told_with_it() =>
        Assert.Equal("Basic c2hvcFxoYW5zOnB3", ProxyAuthorization.For(s_endpoint, new WebProxy("http://proxy") { Credentials = new NetworkCredential("hans", "pw", "shop") }));

    [Theory]
    [InlineData("https://shop.example/orders", "http://proxy")]
    [InlineData("http://127.0.0.1/orders", "http://proxy")]
    [InlineData("http://localhost/orders", "http://proxy")]
    [InlineData("http://bypassed.example/orders", "http://proxy")]
    [InlineData("http://shop.example/orders", "socks5://proxy")]
    public void It_is_never_sent_where_the_endpoint_would_see_it(string endpoint, string proxy) =>
        Assert.Null(ProxyAuthorization.For(new(endpoint), new WebProxy(proxy, BypassOnLocal: false, [@"http://bypassed\.example"], new NetworkCredential("hans", "pw"))));

    [Fact]
    public void A_proxy_that_wants_no_user_is_told_none()
    {
        Assert.Null(ProxyAuthorization.For(s_endpoint, new WebProxy("http://proxy")));
        Assert.Null(ProxyAuthorization.For(s_endpoint, new WebProxy("http://proxy") { UseDefaultCredentials = true }));
        Assert.Null(ProxyAuthorization.For(s_endpoint, new WebProxy()));
    }
}
