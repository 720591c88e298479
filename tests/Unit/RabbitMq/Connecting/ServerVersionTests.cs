using System.Reflection;
using System.Text;
using Holdfast.Broker.RabbitMq;
using RabbitMQ.Client;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ServerVersionTests
{
    [Theory]
    [InlineData("3.10.8", "3.10.8", false)]
    [InlineData("4.2.9", "4.2.9", false)]
    [InlineData("4.3.0", "4.3.0", true)]
    [InlineData("4.3.0-rc.1", "4.3.0", true)]
    [InlineData("4.10.0+7.gdeadbee", "4.10.0", true)]
    [InlineData("unknown", "0.0", false)]
    [InlineData("", "0.0", false)]
    public void A_server_s_version_is_the_numbers_that_it_begins_with(string told, string version, bool delaysByItself)
    {
        var server = Server.VersionOf(Telling("version", Encoding.UTF8.GetBytes(told)));

        Assert.Equal(version, server.ToString());
        Assert.Equal(delaysByItself, server >= Server.FirstWithDelayedRetry);
    }

    [Fact]
    public void One_that_tells_none_has_none()
    {
        Assert.Equal(new Version(0, 0), Server.VersionOf(Telling("product", "RabbitMQ"u8.ToArray())));
        Assert.Equal(new Version(0, 0), Server.VersionOf(Telling("version", 4)));
    }

    private static IConnection Telling(string name, object value)
    {
        var connection = DispatchProxy.Create<IConnection, FakeConnection>();
        ((FakeConnection)(object)connection).Told[name] = value;
        return connection;
    }

    /// <summary>A connection of which only the server's properties are asked.</summary>
    public class FakeConnection : DispatchProxy
    {
        public Dictionary<string, object?> Told { get; } = [];

        protected override object? Invoke(MethodInfo? targetMethod, object?[]? args) =>
            targetMethod!.Name == "get_ServerProperties" ? Told : throw new NotSupportedException(targetMethod.Name);
    }
}
