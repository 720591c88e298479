using System.Net;
using System.Net.Sockets;
using Holdfast.Consumer;
using Holdfast.Virtual;

namespace Holdfast.Tests.Unit.Worker.Commands;

public sealed class CommandLineTests : IDisposable
{
    private readonly Calling _call = new();

    public void Dispose() => _call.Dispose();

    [Theory]
    [InlineData("--help", "Worker__Queue")]
    [InlineData("-h", "Exit codes")]
    [InlineData("--version", "0.1.0")]
    public async Task It_answers_questions(string question, string part)
    {
        Assert.Equal(0, await _call.RunAsync(question));
        Assert.Contains(_call.Output, line => line.Contains(part, StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("run")]
    [InlineData("send")]
    [InlineData("peek")]
    [InlineData("check")]
    [InlineData("health")]
    [InlineData("dead")]
    [InlineData("dead", "list")]
    [InlineData("dead", "show")]
    [InlineData("dead", "replay")]
    [InlineData("dead", "purge")]
    public async Task Each_command_tells_how_it_is_used(params string[] command)
    {
        Assert.Equal(0, await _call.RunAsync([.. command, "--help"]));
        Assert.Contains(_call.Output, line => line.Contains("Usage:", StringComparison.Ordinal));
    }

    [Theory]
    [InlineData("--queue", "orders")]
    [InlineData("sing")]
    [InlineData("dead")]
    [InlineData("send", "--body", "x", "--priority", "300")]
    [InlineData("send", "--body", "x", "--delay=-5s")]
    [InlineData("send", "--body", "x", "--delay", "10675199d")]
    [InlineData("send", "--body", "x", "--property", "a=1", "--property", "a=2")]
    [InlineData("dead", "list", "--older-than", "10675199d")]
    [InlineData("peek", "--limit", "0")]
    [InlineData("peek", "--limit", "many")]
    [InlineData("dead", "list", "--older-than", "5")]
    [InlineData("dead", "list", "--property", "customer")]
    [InlineData("dead", "show")]
    public async Task What_it_does_not_understand_it_says_in_a_line_and_does_nothing(params string[] arguments)
    {
        Assert.Equal(2, await _call.RunAsync(arguments));
        Assert.EndsWith("See --help.", Assert.Single(_call.Error));
        Assert.Empty(_call.Output);
    }

    [Theory]
    [InlineData("There is no command 'chek'; give run, send, peek, dead, check or health. See --help.", "chek")]
    [InlineData("There is no command 'list'; give run, send, peek, dead, check or health. See --help.", "list", "--limit", "5")]
    [InlineData("A command is missing; give list, show, replay or purge. See --help.", "dead")]
    [InlineData("--priority: '300' can't be read; give a whole number, 0 to 255. See --help.", "send", "--priority", "300")]
    [InlineData("--delay: -5s is out of range; give 0s to 36500d. See --help.", "send", "--delay=-5s")]
    [InlineData("--queue: It is empty; name a queue, or leave it out. See --help.", "send", "--body", "x", "--queue", "")]
    [InlineData("--queue: It is empty; name a queue, or leave it out. See --help.", "check", "--queue", "")]
    [InlineData("--queue: It is empty; name a queue, or leave it out. See --help.", "peek", "--queue", " ")]
    [InlineData("--queue: It is empty; name a queue, or leave it out. See --help.", "dead", "purge", "--yes", "--queue", "")]
    [InlineData("--to: It is empty; name a queue, or leave it out. See --help.", "dead", "replay", "--yes", "--to", "")]
    [InlineData("--younger-than: '24:00:00' can't be read; give a duration, such as 500ms, 20s, 5m, 24h or 00:00:20. See --help.", "dead", "purge", "--younger-than", "24:00:00")]
    [InlineData("--younger-than: 10675199d is out of range; give 0s to 36500d. See --help.", "dead", "list", "--younger-than", "10675199d")]
    [InlineData("--older-than: 'NaNs' can't be read; give a duration, such as 500ms, 20s, 5m, 24h or 00:00:20. See --help.", "dead", "purge", "--yes", "--older-than", "NaNs")]
    [InlineData("--rate: 'NaN' can't be read; give a number, such as 0.5. See --help.", "send", "--body", "x", "--rate", "NaN")]
    [InlineData("--rate: 'Infinity' can't be read; give a number, such as 0.5. See --help.", "send", "--body", "x", "--rate", "Infinity")]
    [InlineData("--rate: 0.0000001 is out of range; give 0.0001 or more. See --help.", "dead", "replay", "--yes", "--rate", "0.0000001")]
    [InlineData("--rate: -1 is out of range; give 0.0001 or more. See --help.", "send", "--body", "x", "--rate", "-1")]
    [InlineData("--property: 'a' is given several times; give each name once. See --help.", "send", "--property", "a=1", "--property", "b=1", "--property", "a=2")]
    public async Task What_is_wrong_is_told_with_what_would_be_right(string told, params string[] arguments)
    {
        Assert.Equal(2, await _call.RunAsync(arguments));
        Assert.Equal(told, Assert.Single(_call.Error));
    }

    [Theory]
    [InlineData("--help")]
    [InlineData("--version")]
    [InlineData("send", "--help")]
    [InlineData("check")]
    [InlineData("peek")]
    [InlineData("dead", "list")]
    public async Task An_answer_that_can_not_be_written_is_a_failure_that_is_told_in_a_line(params string[] arguments)
    {
        using var call = new Calling { IsOutputFull = true };

        Assert.Equal(1, await call.RunAsync(arguments));
        Assert.Equal("Standard output can't be written: No space left on device", Assert.Single(call.Error));
    }

    [Fact]
    public async Task What_nobody_has_reckoned_with_is_a_line_too()
    {
        using var call = new Calling { Read = () => throw new DirectoryNotFoundException("There is no such folder.") };

        foreach (var command in (string[])["peek", "health"])
            Assert.Equal(1, await call.RunAsync(command));
        Assert.Equal(["There is no such folder.", "There is no such folder."], call.Error);
    }

    [Fact]
    public async Task A_file_of_settings_that_can_not_be_read_keeps_nobody_from_the_help()
    {
        using var call = new Calling { Read = () => throw new InvalidOptionsException([new("appsettings.json", "It is broken.")]) };

        Assert.Equal(0, await call.RunAsync("--help"));
        Assert.Equal(0, await call.RunAsync("peek", "--help"));
        foreach (var command in (string[])["peek", "health"])
            Assert.Equal(78, await call.RunAsync(command));
        Assert.Equal(["appsettings.json: It is broken.", "appsettings.json: It is broken."], call.Error);
        Assert.Equal(1, await call.RunAsync("check"));
        Assert.Equal("error    appsettings.json: It is broken.", call.Output[^1]);
    }

    [Fact]
    public async Task Where_the_port_s_settings_can_not_be_its_health_is_not_asked()
    {
        _call.Settings["urls"] = "garbage";
        _call.Settings["Worker:Threads"] = "two";

        Assert.Equal(78, await _call.RunAsync("health"));
        Assert.StartsWith("ASPNETCORE_URLS: 'garbage' is no address", Assert.Single(_call.Error));
    }

    [Fact]
    public async Task Health_tells_machines_in_their_way_too()
    {
        _call.Settings["http_ports"] = "1";

        Assert.Equal(1, await _call.RunAsync("health", "--json"));
        Assert.StartsWith("""{"error":"No worker answers at http://127.0.0.1:1/health/ready: """, Assert.Single(_call.Error));
    }

    [Fact]
    public async Task A_value_that_can_not_be_read_is_named_with_its_option()
    {
        await _call.RunAsync("peek", "--limit", "many", "--json");

        Assert.Equal("""{"error":"--limit: \u0027many\u0027 can\u0027t be read; give a whole number, at most 2147483647. See --help."}""", Assert.Single(_call.Error));
    }

    [Fact]
    public async Task Settings_that_can_not_be_are_told_all_at_once()
    {
        _call.Settings["Worker:Threads"] = "two";
        _call.Settings["Worker:Lease:RenewAfter"] = "2";

        Assert.Equal(78, await _call.RunAsync("peek"));
        Assert.Equal(2, _call.Error.Length);
    }

    [Fact]
    public async Task What_keeps_a_worker_from_starting_keeps_nobody_from_asking_but_check_tells_it()
    {
        Assert.Equal(0, await _call.RunAsync("peek"));
        Assert.Equal(1, await _call.RunAsync("check"));
        Assert.StartsWith("error    Worker__Handler: It is not set, and Demo", _call.Output[^1]);
    }

    [Fact]
    public async Task The_embedded_broker_can_not_be_asked_from_outside()
    {
        _call.Settings["Worker:Broker"] = "InMemory";

        Assert.Equal(78, await _call.RunAsync("dead", "list"));
        Assert.StartsWith("The embedded broker lives and dies with a worker's process", Assert.Single(_call.Error));
    }

    [Theory]
    [InlineData("http_ports", "1;8080", "http://127.0.0.1:1")]
    [InlineData("urls", "http://+:1;http://+:2", "http://127.0.0.1:1")]
    [InlineData("urls", "http://[::]:1", "http://127.0.0.1:1")]
    [InlineData("urls", "http://[::1]:1", "http://[::1]:1")]
    [InlineData("urls", "http://127.0.0.2:1", "http://127.0.0.2:1")]
    public async Task Where_no_worker_answers_its_health_is_asked_in_vain(string setting, string value, string address)
    {
        _call.Settings["http_ports"] = "7";
        _call.Settings[setting] = value;

        Assert.Equal(1, await _call.RunAsync("health"));
        Assert.StartsWith($"No worker answers at {address}/health/ready: ", Assert.Single(_call.Error));
    }

    [Fact]
    public async Task Of_a_worker_that_takes_too_long_health_says_so_in_plain_words()
    {
        using var hanging = new TcpListener(IPAddress.Loopback, 0);
        hanging.Start();
        var time = new VirtualTime();
        using var call = new Calling { Time = time };
        call.Settings["http_ports"] = $"{((IPEndPoint)hanging.LocalEndpoint).Port}";

        var asking = call.RunAsync("health");
        using var asked = await hanging.AcceptTcpClientAsync();
        time.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal(1, await asking);
        Assert.EndsWith("/health/ready: It took longer than 5 s.", Assert.Single(call.Error), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Where_no_worker_answers_at_a_socket_in_the_file_system_the_socket_is_named()
    {
        var socket = Path.Combine(AppContext.BaseDirectory, "nobody.sock");
        _call.Settings["urls"] = $"http://unix:{socket};http://+:1";

        Assert.Equal(1, await _call.RunAsync("health"));
        var told = Assert.Single(_call.Error);
        Assert.StartsWith($"No worker answers at http://localhost/health/ready through the socket {socket}: ", told);
        Assert.DoesNotContain("localhost:80", told);
    }

    [Fact]
    public async Task Of_several_queues_one_must_be_named()
    {
        _call.Settings["Worker:Queues:one:MaxConcurrency"] = "1";
        _call.Settings["Worker:Queues:two:MaxConcurrency"] = "1";

        Assert.Equal(2, await _call.RunAsync("peek"));
        Assert.Equal("This worker has several queues; give --queue, such as --queue one.", Assert.Single(_call.Error));
        Assert.Equal(0, await _call.RunAsync("peek", "--queue", "two"));
    }
}
