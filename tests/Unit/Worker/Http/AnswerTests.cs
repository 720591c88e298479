using Holdfast.Broker;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class AnswerTests
{
    private static readonly TimeSpan s_longest = TimeSpan.FromMinutes(10);

    [Theory]
    [InlineData(429, 30, 30)]
    [InlineData(503, 30, 30)]
    [InlineData(503, 3_600, 600)]
    [InlineData(503, 0, 1)]
    [InlineData(429, -60, 1)]
    public void An_endpoint_that_says_when_to_come_again_is_left_alone_for_so_long_within_bounds(int status, int seconds, int delay) =>
        Assert.Equal(Settlement.Delay(TimeSpan.FromSeconds(delay)), (Of(status) with { RetryAfter = TimeSpan.FromSeconds(seconds) }).Settle(s_longest));

    [Theory]
    [InlineData(400, "Bad Request")]
    [InlineData(401, "Unauthorized")]
    [InlineData(404, "Not Found")]
    [InlineData(413, "Payload Too Large")]
    [InlineData(422, "Unprocessable Entity")]
    [InlineData(431, "Request Header Fields Too Large")]
    public void A_message_that_the_endpoint_will_never_take_is_put_aside_with_what_it_said(int status, string name) =>
        Assert.Equal(
            Settlement.DeadLetter($"http_{status}", $"http://shop answered {status} {name}: no such customer"),
            (Of(status) with { Excerpt = "no such customer" }).Settle(s_longest));

    [Fact]
    public void A_status_without_a_name_and_a_text_is_told_alone() =>
        Assert.Equal(Settlement.DeadLetter("http_498", "http://shop answered 498"), (Of(498) with { RetryAfter = TimeSpan.FromSeconds(1) }).Settle(s_longest));

    [Theory]
    [InlineData(408, "http://shop answered 408 Request Timeout")]
    [InlineData(425, "http://shop answered 425")]
    [InlineData(429, "http://shop answered 429 Too Many Requests")]
    [InlineData(500, "http://shop answered 500 Internal Server Error")]
    [InlineData(503, "http://shop answered 503 Service Unavailable")]
    [InlineData(600, "http://shop answered 600")]
    [InlineData(101, "http://shop answered 101 Switching Protocols")]
    [InlineData(300, "http://shop answered 300 Multiple Choices")]
    [InlineData(304, "http://shop answered 304 Not Modified")]
    [InlineData(307, "http://shop answered 307 Temporary Redirect. Redirects are not followed; set Worker__Http__Url to where it leads.")]
    public void The_rest_is_for_the_queue_s_policy(int status, string message) =>
        Assert.Equal(message, Assert.Throws<EndpointException>(() => Of(status).Settle(s_longest)).Message);

    [Fact]
    public void A_redirect_is_not_followed_and_tells_where_it_leads() =>
        Assert.Equal(
            "http://shop answered 301 Moved Permanently. Redirects are not followed; set Worker__Http__Url to where it leads (https://shop/orders).",
            Assert.Throws<EndpointException>(() => (Of(301) with { Location = "https://shop/orders" }).Settle(s_longest)).Message);

    [Theory]
    [InlineData("https://shop/orders", "https://shop/orders")]
    [InlineData("/orders?token=s3cr3t", "/orders")]
    [InlineData("http://user:s3cr3t@shop/x?token=s3cr3t#s3cr3t", "http://shop/x")]
    [InlineData("http://user:s3@cr3t@shop", "http://shop")]
    [InlineData("//user:s3cr3t@shop/x", "//shop/x")]
    [InlineData("http:\\\\user:s3cr3t@shop\\x", "http://shop/x")]
    [InlineData("http:/user:s3cr3t@shop/x", "http:")]
    [InlineData("http:user:s3cr3t@shop/x", "http:")]
    [InlineData("http:user:s3cr3t://shop/x", "http:")]
    [InlineData("http:///user:s3cr3t@shop/x", "http://shop/x")]
    [InlineData("https://shop/@user/x", "https://shop/@user/x")]
    [InlineData("/a//b@c/d", "/a//b@c/d")]
    [InlineData("/a\u001b[2J", "/a\\u001b[2J")]
    public void Where_a_redirect_leads_is_told_without_what_may_be_secret(string location, string shown) => Assert.Equal(shown, RedirectTarget.Show(location));

    [Fact]
    public void A_proxy_that_wants_a_password_costs_no_message() =>
        Assert.Equal(
            "http://shop answered 407 Proxy Authentication Required. A proxy says so; set its user and password in HTTP_PROXY or HTTPS_PROXY, or the endpoint's host in NO_PROXY.",
            Assert.Throws<EndpointException>(() => Of(407).Settle(s_longest)).Message);

    private static Answer Of(int status) => new("http://shop", status);
}
