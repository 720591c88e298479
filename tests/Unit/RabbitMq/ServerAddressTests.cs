using Holdfast.Broker.RabbitMq;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class ServerAddressTests
{
    [Theory]
    [InlineData("amqp://localhost", "amqp://guest@localhost:5672/")]
    [InlineData("amqp://localhost/", "amqp://guest@localhost:5672/")]
    [InlineData("amqp://localhost//", "amqp://guest@localhost:5672/")]
    [InlineData("amqp://localhost/%2f", "amqp://guest@localhost:5672/")]
    [InlineData(" AMQP://LocalHost:5673/shop ", "amqp://guest@LocalHost:5673/shop")]
    [InlineData("amqps://me:secret@one", "amqps://me@one:5671/")]
    [InlineData("amqp://me:secret@one,two:5673, three/shop", "amqp://me@one:5672,two:5673,three:5672/shop")]
    [InlineData("amqp://[::1]:5673,[fe80::1],127.0.0.1/shop", "amqp://guest@[::1]:5673,[fe80::1]:5672,127.0.0.1:5672/shop")]
    [InlineData("amqp://a%40b:secret@one/left%2Fright%20side", "amqp://a%40b@one:5672/left%2Fright%20side")]
    public void An_address_is_shown_in_full_but_for_its_password(string uri, string shown) => Assert.Equal(shown, ServerAddress.Parse(uri).ToString());

    [Theory]
    [InlineData("amqp://one", "guest", "guest", "/")]
    [InlineData("amqp://me@one/", "me", "guest", "/")]
    [InlineData("amqp://me:@one/shop", "me", "", "shop")]
    [InlineData("amqp://a%40b:p%3Aw%2f%25%C3%A9@one/x%2fy", "a@b", "p:w/%é", "x/y")]
    [InlineData("amqp://me:p:w@x@one/shop", "me", "p:w@x", "shop")]
    [InlineData("amqp://me:a+b@one/a+b", "me", "a+b", "a+b")]
    public void User_password_and_virtual_host_are_decoded(string uri, string user, string password, string virtualHost)
    {
        var address = ServerAddress.Parse(uri);

        Assert.Equal((user, password, virtualHost), (address.User, address.Password, address.VirtualHost));
    }

    [Fact]
    public void Each_host_has_its_port_and_IPv6_no_brackets()
    {
        var address = ServerAddress.Parse("amqps://[::1],two:5673");

        Assert.True(address.IsTls);
        Assert.Equal([new("::1", 5671), new("two", 5673)], address.Hosts);
        Assert.Equal("[::1]:5671,two:5673", address.HostList);
    }

    [Theory]
    [InlineData(null, "set an address such as amqp://")]
    [InlineData("", "does not begin with amqp:// or amqps://")]
    [InlineData("localhost:5672", "does not begin with amqp:// or amqps://")]
    [InlineData("http://me:secret@one", "does not begin with amqp:// or amqps://")]
    [InlineData("me:secret@one", "does not begin with amqp:// or amqps://")]
    [InlineData("amqp://", "host is missing or no host name")]
    [InlineData("amqp://me:secret@/shop", "host is missing or no host name")]
    [InlineData("amqp://me:secret@one,,two", "host is missing or no host name")]
    [InlineData("amqp://me:secret@one two", "host is missing or no host name")]
    [InlineData("amqp://me:secret@[::1", "host is missing or no host name")]
    [InlineData("amqp://me:secret@[::1]5672", "host is missing or no host name")]
    [InlineData("amqp://me:secret@[one]", "host is missing or no host name")]
    [InlineData("amqp://me:secret@::1", "host has several colons; write an IPv6 address in brackets")]
    [InlineData("amqp://me:secret@fe80::1:5672", "host has several colons; write an IPv6 address in brackets")]
    [InlineData("amqp://me:secret@one:0", "port is not a number from 1 to 65535")]
    [InlineData("amqp://me:secret@one:65536", "port is not a number from 1 to 65535")]
    [InlineData("amqp://me:secret@one:", "port is not a number from 1 to 65535")]
    [InlineData("amqp://me:secret", "an @ between password and host")]
    [InlineData("amqp://:secret@one", "user name is empty")]
    [InlineData("amqp://me:sec/ret@one", "has an @ after its host")]
    [InlineData("amqp://me:sec?ret@one", "has an @ after its host")]
    [InlineData("amqp://me:secret@one/sh@p", "has an @ after its host")]
    [InlineData("amqp://me:secret%@one", "begins no escape")]
    [InlineData("amqp://me:secret%zz@one", "begins no escape")]
    [InlineData("amqp://me:secret@one/%4", "virtual host as %25")]
    [InlineData("amqp://me:secret@one/left/right", "virtual host has a / in it; write that as %2F")]
    [InlineData("amqp://me:secret@one/shop#1", "write that as %23")]
    [InlineData("amqp://me:secret@one/shop?heartbeat=5", "set Worker__RabbitMq__Heartbeat instead")]
    [InlineData("amqps://me:secret@one?verify=secret&cacertfile=ca&certfile=c&keyfile=secret", "set Worker__RabbitMq__CaFile and Worker__RabbitMq__ClientCertificateFile and Worker__RabbitMq__ClientKeyFile instead")]
    [InlineData("amqp://me:secret@one/shop?secret", "--help lists the settings of Worker__RabbitMq")]
    public void What_is_no_address_is_told_in_a_line_that_gives_nothing_away(string? uri, string part)
    {
        var line = Assert.Throws<FormatException>(() => ServerAddress.Parse(uri)).Message;

        Assert.Contains(part, line);
        Assert.EndsWith(".", line);
        Assert.DoesNotContain("\n", line);
        Assert.DoesNotContain("secret", line);
        Assert.DoesNotContain("ret@", line);
    }

    [Fact]
    public void A_virtual_host_fits_into_255_bytes()
    {
        Assert.Equal(255, ServerAddress.Parse("amqp://one/" + new string('v', 255)).VirtualHost.Length);
        Assert.Contains("longer than 255 bytes", Assert.Throws<FormatException>(() => ServerAddress.Parse("amqp://one/" + new string('é', 128))).Message);
    }
}
