using System.Net;
using System.Net.Sockets;
using Holdfast.Broker.RabbitMq;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.RabbitMq;

public sealed class HostAddressesTests
{
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(30);
    private static readonly TimeSpan s_longest = TimeSpan.FromSeconds(10);

    private readonly VirtualTime _time = new();

    [Fact]
    public async Task All_addresses_of_all_hosts_are_found() =>
        Assert.Equal(
            [("rabbit:5672", "10.0.0.1"), ("rabbit:5672", "fd00::1"), ("hare:5673", "10.0.0.3")],
            await FindAsync(name => Task.FromResult<IPAddress[]>(name == "rabbit" ? [IPAddress.Parse("10.0.0.1"), IPAddress.Parse("fd00::1")] : [IPAddress.Parse("10.0.0.3")])));

    [Fact]
    public async Task A_name_that_nobody_knows_is_left_to_the_client_and_keeps_no_other_from_being_found() =>
        Assert.Equal(
            [("rabbit:5672", "rabbit"), ("hare:5673", "10.0.0.3")],
            await FindAsync(name => name == "rabbit" ? throw new SocketException((int)SocketError.HostNotFound) : Task.FromResult<IPAddress[]>([IPAddress.Parse("10.0.0.3")])));

    [Fact]
    public async Task Who_looks_names_up_and_does_not_answer_is_waited_for_no_longer_than_so_long()
    {
        var finding = FindAsync(name => name == "rabbit" ? new TaskCompletionSource<IPAddress[]>().Task : Task.FromResult<IPAddress[]>([IPAddress.Parse("10.0.0.3")]));
        Assert.False(finding.IsCompleted);

        _time.Advance(s_longest);

        Assert.Equal([("rabbit:5672", "rabbit"), ("hare:5673", "10.0.0.3")], await finding);
    }

    private async Task<IEnumerable<(string Host, string Address)>> FindAsync(Func<string, Task<IPAddress[]>> lookUp)
    {
        var addresses = new HostAddresses((name, _) => lookUp(name), s_longest, _time);
        var found = await addresses.OfAsync(ServerAddress.Parse("amqp://rabbit,hare:5673").Hosts, CancellationToken.None).WaitAsync(s_patience);
        return found.Select(at => ($"{at.Host}", at.Address));
    }
}
