using Holdfast.Worker.Http;
using Holdfast.Worker.Settings;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class ConnectionsTests
{
    [Theory]
    [InlineData(300, 300)]
    [InlineData(1, 15)]
    public void An_endpoint_that_is_too_busy_for_a_ping_keeps_its_connection_for_as_long_as_it_may_take_to_answer(int timeout, int patience)
    {
        using var connections = Connections.HandlerFor(new HttpOptions { Url = "http://shop/orders", Timeout = TimeSpan.FromSeconds(timeout) });

        Assert.Equal(TimeSpan.FromSeconds(patience), connections.KeepAlivePingTimeout);
    }
}
