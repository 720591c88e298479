using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Text.RegularExpressions;
using Holdfast.Tests.Unit.Worker.Prometheus;
using Holdfast.Worker.Hosting;

namespace Holdfast.Tests.Unit.Worker.Hosting;

public sealed class ProcessTests
{
    [Fact]
    public async Task A_setting_that_can_not_be_ends_the_process_with_a_line_for_each_mistake()
    {
        var (code, error) = await RunAsync(("Worker__Threads", "two"), ("Worker__MaxConcurency", "5"));

        Assert.Equal(ExitCode.Misconfigured, code);
        Assert.Equal(
            [
                "Worker__MaxConcurency: There is no such setting; did you mean Worker__MaxConcurrency?",
                "Worker__Threads: 'two' can't be read; set a whole number, at most 2147483647.",
            ], error);
    }

    [Theory]
    [InlineData()]
    [InlineData("peek")]
    public async Task What_the_environment_says_twice_in_different_case_ends_the_process_with_a_line(params string[] arguments)
    {
        using var process = Start(arguments, AppContext.BaseDirectory, ("Worker__Queue", "orders"), ("WORKER__QUEUE", "parcels"), ("Worker__Threads", "0"));
        await process.StandardOutput.ReadToEndAsync();

        Assert.Equal("Environment: WORKER__QUEUE and Worker__Queue are one setting, for case does not count, and their values differ; leave one of them.\n", await process.StandardError.ReadToEndAsync());
        await process.WaitForExitAsync();
        Assert.Equal(ExitCode.Misconfigured, process.ExitCode);
    }

    [Fact]
    public async Task What_the_engine_will_not_have_ends_the_process_the_same_way()
    {
        var (code, error) = await RunAsync(("Worker__Lease__RenewAfter", "2"), ("ASPNETCORE_HTTP_PORTS", "0"));

        Assert.Equal(ExitCode.Misconfigured, code);
        Assert.StartsWith("Worker__Lease__RenewAfter: 2 ", Assert.Single(error));
    }

    [Fact]
    public async Task Figures_are_written_alike_where_the_environment_turns_cultures_on()
    {
        var (code, error) = await RunAsync(("DOTNET_SYSTEM_GLOBALIZATION_INVARIANT", "false"), ("LC_ALL", "de_DE.UTF-8"), ("Worker__Lease__RenewAfter", "1.5"), ("ASPNETCORE_HTTP_PORTS", "0"));
        Assert.SkipWhen(error.Any(line => line.Contains("ICU", StringComparison.Ordinal)), "There is no ICU on this machine, and so there are no cultures.");

        Assert.Equal(ExitCode.Misconfigured, code);
        Assert.StartsWith("Worker__Lease__RenewAfter: 1.5 ", Assert.Single(error));
    }

    [Fact]
    public async Task A_store_that_can_not_be_opened_ends_the_process_with_a_line()
    {
        var (code, error) = await RunAsync(("Worker__Idempotency__Path", "/no/such/folder/completed.db"), ("ASPNETCORE_HTTP_PORTS", "0"));

        Assert.Equal(ExitCode.Misconfigured, code);
        Assert.StartsWith("Worker__Idempotency__Path: /no/such/folder/completed.db can't be opened", Assert.Single(error));
    }

    [Theory]
    [InlineData()]
    [InlineData("peek")]
    public async Task A_command_reads_the_settings_that_the_worker_reads(params string[] arguments)
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-settings-").FullName;
        try
        {
            await File.WriteAllTextAsync(Path.Combine(folder, "appsettings.Test.json"), """{ "Worker": { "Quue": "orders" } }""");
            using var process = Start(arguments, folder, ("ASPNETCORE_ENVIRONMENT", "Test"), ("DOTNET_ENVIRONMENT", "Other"), ("ASPNETCORE_HTTP_PORTS", "0"));
            await process.StandardOutput.ReadToEndAsync();

            Assert.StartsWith("Worker__Quue: There is no such setting", await process.StandardError.ReadToEndAsync());
            await process.WaitForExitAsync();
            Assert.Equal(ExitCode.Misconfigured, process.ExitCode);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData()]
    [InlineData("peek")]
    [InlineData("health")]
    public async Task A_broken_file_of_settings_is_told_with_the_place_and_the_cause(params string[] arguments)
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-settings-").FullName;
        try
        {
            var file = Path.Combine(folder, "appsettings.json");
            await File.WriteAllTextAsync(file, "{\n  \"Worker\": { \"Queue\" \"orders\" }\n}");
            using var process = Start(arguments, folder, ("ASPNETCORE_HTTP_PORTS", "0"));
            await process.StandardOutput.ReadToEndAsync();

            var line = Assert.Single((await process.StandardError.ReadToEndAsync()).Split('\n', StringSplitOptions.RemoveEmptyEntries));
            await process.WaitForExitAsync();
            Assert.Equal(ExitCode.Misconfigured, process.ExitCode);
            Assert.StartsWith("appsettings.json: ", line);
            Assert.Contains($"'{file}'. Line 2, position 23: '\"' is invalid", line);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Theory]
    [InlineData()]
    [InlineData("peek")]
    public async Task What_is_wrong_elsewhere_is_not_blamed_on_the_file_of_settings(params string[] arguments)
    {
        using var process = Start(arguments, AppContext.BaseDirectory, ("DOTNET_CONTENTROOT", "/no/such/folder"), ("ASPNETCORE_HTTP_PORTS", "0"));
        await process.StandardOutput.ReadToEndAsync();

        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Equal(ExitCode.Failed, process.ExitCode);
        Assert.Contains("/no/such/folder", error);
        Assert.DoesNotContain("appsettings.json", error);
    }

    [Fact]
    public async Task The_health_of_a_worker_is_asked_for_where_its_settings_say_that_it_is_and_no_proxy_is_asked()
    {
        using var worker = Start(("ASPNETCORE_URLS", "http://127.0.0.1:0"), ("Worker__Demo__Produce", "20"));
        var address = (await LineAsync(worker, "Status page: ")).Trim();

        using var asking = Start(["health"], AppContext.BaseDirectory, ("ASPNETCORE_URLS", address), ("HTTP_PROXY", "http://127.0.0.1:9"));
        var error = await asking.StandardError.ReadToEndAsync();
        await asking.WaitForExitAsync();
        worker.Kill();

        Assert.Equal((ExitCode.Stopped, ""), (asking.ExitCode, error));
    }

    [Fact]
    public async Task A_worker_at_a_socket_in_the_file_system_answers_there_whatever_it_is_called()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-socket-").FullName;
        try
        {
            var socket = Path.Combine(folder, "worker.sock");
            var address = $"http://unix:{socket}";
            using var worker = Start(("ASPNETCORE_URLS", $"http://127.0.0.1:0;{address}"), ("Worker__Demo__Produce", "20"));
            var port = (await LineAsync(worker, "Status page: ")).Trim();
            Assert.Equal($"http://localhost/ through the socket {socket}", (await LineAsync(worker, "Status page: ")).Trim());

            using var asking = Start(["health"], AppContext.BaseDirectory, ("ASPNETCORE_URLS", address));
            var error = await asking.StandardError.ReadToEndAsync();
            await asking.WaitForExitAsync();

            // A browser on this machine can ask the port, and not the socket.
            using var browser = new HttpClient { BaseAddress = new Uri(port), DefaultRequestHeaders = { Host = "rebound.example" } };
            using var answer = await browser.GetAsync("status");
            using var friend = new HttpClient(Through(socket)) { BaseAddress = new Uri("http://worker.example/") };
            using var other = await friend.GetAsync("status");
            worker.Kill();

            Assert.Equal((ExitCode.Stopped, ""), (asking.ExitCode, error));
            Assert.Equal((HttpStatusCode.MisdirectedRequest, HttpStatusCode.OK), (answer.StatusCode, other.StatusCode));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task A_socket_that_a_killed_worker_has_left_is_taken_over_and_a_file_in_its_place_is_not()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-socket-").FullName;
        try
        {
            var (socket, file) = (Path.Combine(folder, "worker.sock"), Path.Combine(folder, "file"));
            for (var life = 0; life < 2; life++)
            {
                using var worker = Start(("ASPNETCORE_URLS", $"http://unix:{socket}"), ("Worker__Demo__Produce", "20"));
                Assert.Equal($"http://localhost/ through the socket {socket}", (await LineAsync(worker, "Status page: ")).Trim());
                worker.Kill();
                await worker.WaitForExitAsync();
            }

            File.WriteAllText(file, "precious");
            using var refused = Start(("ASPNETCORE_URLS", $"http://unix:{file}"));
            var error = await refused.StandardError.ReadToEndAsync();
            await refused.WaitForExitAsync();

            Assert.Equal(ExitCode.Misconfigured, refused.ExitCode);
            Assert.Contains($"Where that is {file}, another worker listens there, or what lies there is not ours to take away; name another one.", error, StringComparison.Ordinal);
            Assert.Equal("precious", File.ReadAllText(file));
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task An_endpoint_on_this_machine_is_reached_without_the_proxy_that_is_set_for_others()
    {
        using var endpoint = new TcpListener(IPAddress.Loopback, 0);
        using var proxy = new TcpListener(IPAddress.Loopback, 0);
        endpoint.Start();
        proxy.Start();
        var (posted, proxied) = (endpoint.AcceptTcpClientAsync(), proxy.AcceptTcpClientAsync());
        using var worker = Start(
            ("ASPNETCORE_HTTP_PORTS", "0"),
            ("HTTP_PROXY", $"http://{proxy.LocalEndpoint}"),
            ("Worker__Handler", "Http"),
            ("Worker__Http__Url", $"http://{endpoint.LocalEndpoint}/orders"),
            ("Worker__Demo__Produce", "20"));

        var first = await Task.WhenAny(posted, proxied, worker.WaitForExitAsync());
        worker.Kill();

        Assert.Same(posted, first);
        (await posted).Dispose();
    }

    [Fact]
    public async Task A_proxy_that_wants_a_password_has_it_with_the_first_request()
    {
        using var proxy = new TcpListener(IPAddress.Loopback, 0);
        proxy.Start();
        using var worker = Start(
            ("ASPNETCORE_HTTP_PORTS", "0"),
            ("HTTP_PROXY", $"http://hans:pw@{proxy.LocalEndpoint}"),
            ("Worker__Handler", "Http"),
            ("Worker__Http__Url", "http://shop.example/orders"),
            ("Worker__Demo__Produce", "20"));

        using var client = await proxy.AcceptTcpClientAsync();
        using var request = new StreamReader(client.GetStream());
        var head = new List<string>();
        while (await request.ReadLineAsync() is { Length: > 0 } line)
            head.Add(line);
        worker.Kill();

        Assert.Equal("POST http://shop.example/orders HTTP/1.1", head[0]);
        Assert.Contains("Proxy-Authorization: Basic aGFuczpwdw==", head);
    }

    [Theory]
    [InlineData("grpc")]
    [InlineData("http/protobuf")]
    public async Task A_collector_on_this_machine_is_reached_without_the_proxy_that_is_set_for_others(string protocol)
    {
        using var collector = new TcpListener(IPAddress.Loopback, 0);
        using var proxy = new TcpListener(IPAddress.Loopback, 0);
        collector.Start();
        proxy.Start();
        var (exported, proxied) = (collector.AcceptTcpClientAsync(), proxy.AcceptTcpClientAsync());
        using var worker = Start(
            ("ASPNETCORE_HTTP_PORTS", "0"),
            ("HTTP_PROXY", $"http://{proxy.LocalEndpoint}"),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", $"http://{collector.LocalEndpoint}"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("OTEL_BSP_SCHEDULE_DELAY", "100"),
            ("Worker__Demo__Produce", "20"));

        var first = await Task.WhenAny(exported, proxied, LineAsync(worker, "can't be sent to the collector"));
        worker.Kill();

        Assert.Same(exported, first);
        (await exported).Dispose();
    }

    [Theory]
    [InlineData("http://127.0.0.1:0", "rebound.example:8080", HttpStatusCode.MisdirectedRequest)]
    [InlineData("http://127.0.0.1:0", "192.168.0.1", HttpStatusCode.MisdirectedRequest)]
    [InlineData("http://127.0.0.1:0", "localhost.example", HttpStatusCode.MisdirectedRequest)]
    [InlineData("http://127.0.0.1:0", "localhost:8080", HttpStatusCode.OK)]
    [InlineData("http://127.0.0.1:0", "LocalHost", HttpStatusCode.OK)]
    [InlineData("http://127.0.0.1:0", "127.0.0.2:8080", HttpStatusCode.OK)]
    [InlineData("http://127.0.0.1:0", "[::1]:8080", HttpStatusCode.OK)]
    [InlineData("http://127.0.0.1:0;http://0.0.0.0:0", "worker.example", HttpStatusCode.OK)]
    [InlineData("http://+:0", "worker.example", HttpStatusCode.OK)]
    public async Task A_port_that_is_open_to_this_machine_alone_answers_to_its_names_alone(string urls, string host, HttpStatusCode expected)
    {
        using var worker = Start(("ASPNETCORE_URLS", urls), ("Worker__Demo__Produce", "0"));
        using var client = new HttpClient { BaseAddress = new Uri((await LineAsync(worker, "Status page: ")).Trim()), DefaultRequestHeaders = { Host = host } };

        using var answer = await client.GetAsync("status");
        var refusal = expected == HttpStatusCode.OK ? null : await answer.Content.ReadAsStringAsync();
        worker.Kill();

        Assert.Equal(expected, answer.StatusCode);
        Assert.True(refusal is null or "This port answers requests to localhost or a loopback address alone.\n", refusal);
    }

    [Fact]
    public async Task Who_is_told_to_stop_before_its_settings_are_read_stops_well()
    {
        var folder = Directory.CreateTempSubdirectory("holdfast-stop-").FullName;
        try
        {
            // A pipe for a file of settings holds it up there for as long as nothing comes through.
            var settings = Path.Combine(folder, "appsettings.json");
            await CallAsync("mkfifo", settings);
            using var process = Start([], folder, ("ASPNETCORE_HTTP_PORTS", "0"));
            await using (var pipe = new StreamWriter(settings))
            {
                await CallAsync("kill", "-TERM", $"{process.Id}");
                await pipe.WriteAsync("{}");
            }

            await process.WaitForExitAsync();
            Assert.Equal(ExitCode.Stopped, process.ExitCode);
        }
        finally
        {
            Directory.Delete(folder, recursive: true);
        }
    }

    [Fact]
    public async Task Who_had_standard_input_closed_for_it_waits_for_nothing_from_there()
    {
        using var program = Process.Start(new ProcessStartInfo("sh", ["-c", "exec dotnet \"$0\" send <&-", Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardError = true,
            Environment = { ["Worker__Broker"] = "RabbitMq", ["ConnectionStrings__RabbitMq"] = "amqp://127.0.0.1:1/" },
        })!;

        Assert.Equal("There is nothing to send; give a FILE, --body TEXT, or pipe something in.\n", await program.StandardError.ReadToEndAsync());
        await program.WaitForExitAsync();
        Assert.Equal(ExitCode.Misused, program.ExitCode);
    }

    [Fact]
    public async Task Who_is_asked_whether_to_go_on_may_leave_with_Ctrl_C()
    {
        const string Asked = "[y/N] ";

        // Whatever a shell runs beside it ignores SIGINT, and so would these tests' children.
        using var terminal = Process.Start(new ProcessStartInfo("script", ["-qec", $"exec env --default-signal=INT dotnet '{Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")}' dead purge", "/dev/null"])
        {
            RedirectStandardInput = true,
            RedirectStandardOutput = true,
            Environment = { ["Worker__Broker"] = "RabbitMq", ["ConnectionStrings__RabbitMq"] = "amqp://127.0.0.1:1/" },
        })!;
        var shown = new StringBuilder();
        while (!shown.ToString().EndsWith(Asked, StringComparison.Ordinal) && terminal.StandardOutput.Read() is >= 0 and var letter)
            shown.Append((char)letter);

        await terminal.StandardInput.WriteAsync('\u0003');
        await terminal.StandardInput.FlushAsync();
        try
        {
            shown.Append(await terminal.StandardOutput.ReadToEndAsync().WaitAsync(TimeSpan.FromSeconds(30)));
        }
        finally
        {
            terminal.Kill(entireProcessTree: true);
        }

        await terminal.WaitForExitAsync();
        Assert.Equal(ExitCode.Failed, terminal.ExitCode);
        Assert.Matches($"{Regex.Escape(Asked)}(\\^C)?\r\nIt was interrupted\\.\r\n", shown.ToString());
    }

    [Theory]
    [InlineData(ExitCode.Misconfigured, "2>&-")]
    [InlineData(ExitCode.Misused, "foo 2>&-")]
    [InlineData(ExitCode.Failed, "health 2>&-")]
    [InlineData(ExitCode.Failed, "--help >/dev/full")]
    [InlineData(ExitCode.Failed, "--version >&-")]
    [InlineData(ExitCode.Failed, "send --help >/dev/full")]
    public async Task What_can_not_be_written_changes_no_exit_code_but_that_of_who_was_asked_for_it(int code, string call)
    {
        using var program = Process.Start(new ProcessStartInfo("sh", ["-c", $"exec dotnet \"$0\" {call}", Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardError = true,
            Environment = { ["Worker__Handler"] = "x", ["ASPNETCORE_HTTP_PORTS"] = "1" },
        })!;

        var error = await program.StandardError.ReadToEndAsync();
        await program.WaitForExitAsync();
        Assert.Equal(code, program.ExitCode);
        Assert.InRange(error.Count(letter => letter == '\n'), 0, 1);
    }

    [Theory]
    [InlineData("ASPNETCORE_HTTP_PORTS", "{0}")]
    [InlineData("ASPNETCORE_URLS", "http://+:{0}")]
    [InlineData("ASPNETCORE_URLS", "http://localhost:{0}")]
    public async Task A_port_in_use_ends_the_process_with_a_line(string setting, string value)
    {
        using var taken = Socket.OSSupportsIPv6 ? new TcpListener(IPAddress.IPv6Any, 0) { Server = { DualMode = true } } : new TcpListener(IPAddress.Any, 0);
        taken.Start();
        var port = ((IPEndPoint)taken.LocalEndpoint).Port;

        var (code, error) = await RunAsync((setting, string.Format(CultureInfo.InvariantCulture, value, port)));

        Assert.Equal(ExitCode.Misconfigured, code);
        var line = Assert.Single(error);
        Assert.StartsWith($"{setting}: ", line);
        Assert.Contains($"{port}", line);
    }

    [Fact]
    public async Task A_worker_answers_while_it_runs_and_ends_well_when_it_is_told_to()
    {
        using var process = Start(("ASPNETCORE_HTTP_PORTS", "0"), ("Worker__Demo__Produce", "20"));
        var address = new Uri((await LineAsync(process, "Status page: ")).Trim());
        using var client = new HttpClient { BaseAddress = address };

        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("health/live")).StatusCode);
        ExpositionCheck.Passes(await client.GetStringAsync("metrics"), isOpen: false);
        Assert.Contains("<title>Holdfast</title>", await client.GetStringAsync(""));

        await CallAsync("kill", "-TERM", $"{process.Id}");
        Assert.Contains("orders: settled", await LineAsync(process, "Stopped. "));
        await process.WaitForExitAsync();
        Assert.Equal((ExitCode.Stopped, ""), (process.ExitCode, await process.StandardError.ReadToEndAsync()));
    }

    [Fact]
    public async Task Without_a_status_page_a_worker_tells_where_the_rest_is()
    {
        using var process = Start(("ASPNETCORE_HTTP_PORTS", "0"), ("Worker__StatusPage", "false"));
        var line = await LineAsync(process, "Metrics and health: ");
        using var client = new HttpClient { BaseAddress = new Uri(line.Split(' ')[0]) };

        Assert.EndsWith("(the status page is off)", line);
        Assert.Equal(HttpStatusCode.NotFound, (await client.GetAsync("")).StatusCode);
        Assert.Equal(HttpStatusCode.OK, (await client.GetAsync("health/live")).StatusCode);
        process.Kill();
    }

    [Theory]
    [InlineData("")]
    [InlineData(" check")]
    public async Task Where_fewer_files_may_be_open_than_its_commands_need_a_worker_says_so_at_its_start_and_so_does_check(string command)
    {
        using var process = Process.Start(new ProcessStartInfo("sh", ["-c", $"ulimit -n 512 && exec dotnet \"$0\"{command}", Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment = { ["ASPNETCORE_HTTP_PORTS"] = "0", ["Worker__Handler"] = "Exec", ["Worker__Exec__Command"] = "cat", ["Worker__Exec__Processes"] = "50" },
        })!;

        Assert.Equal(
            "512 files may be open here, and 550 are wanted: 400 for the process, and 3 for each of 50 commands at once (Worker__Exec__Processes). Raise the limit (ulimit -n), or set Worker__Exec__Processes to 37 or less.",
            (await LineAsync(process, "warning "))[(command.Length > 0 ? 1 : 0)..]);
        process.Kill();
    }

    [Theory]
    [InlineData("Worker__Threads", "64", "Worker__Threads is 64, and the")]
    [InlineData("Worker__MaxBytesInFlight", "268435456", "The heap may take 200 MB here, and 612 are wanted: ")]
    public async Task Where_its_machine_gives_less_than_its_settings_need_a_worker_says_so_at_its_start(string setting, string value, string warning)
    {
        using var process = Start(("ASPNETCORE_HTTP_PORTS", "0"), ("DOTNET_GCHeapHardLimit", "0xC800000"), (setting, value));

        await LineAsync(process, $"warning {warning}");
        process.Kill();
    }

    [Fact]
    public async Task In_a_small_memory_no_more_bytes_are_in_flight_than_fit_where_nobody_says_how_many()
    {
        using var check = Start(["check"], AppContext.BaseDirectory, ("DOTNET_GCHeapHardLimit", "0xC800000"));

        Assert.DoesNotContain("The heap may take", await check.StandardOutput.ReadToEndAsync(), StringComparison.Ordinal);
        await check.WaitForExitAsync();
        Assert.Equal(ExitCode.Stopped, check.ExitCode);
    }

    [Fact]
    public async Task Where_few_files_may_be_open_handlers_that_block_leave_some_for_the_port()
    {
        using var process = Process.Start(new ProcessStartInfo("sh", ["-c", "ulimit -n 512 && exec dotnet \"$0\"", Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll")])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            Environment =
            {
                ["ASPNETCORE_URLS"] = "http://127.0.0.1:0",
                ["Worker__Demo__Produce"] = "500",
                ["Worker__Demo__Blocking"] = "true",
                ["Worker__Demo__CpuMilliseconds"] = "600000",
                ["Worker__Admission"] = "Fixed",
            },
        })!;
        using var client = new HttpClient { BaseAddress = new Uri((await LineAsync(process, "Status page: ")).Trim()) };

        await LineAsync(process, "threads are blocked by handlers, and hardly one is left (the system has no more threads or files for this process)");
        using var answer = await client.GetAsync("health/live");
        process.Kill();

        Assert.Equal(HttpStatusCode.OK, answer.StatusCode);
    }

    private static async Task CallAsync(string program, params string[] arguments)
    {
        using var called = Process.Start(program, arguments);
        await called.WaitForExitAsync();
    }

    private static SocketsHttpHandler Through(string path) => new()
    {
        ConnectCallback = async (_, cancel) =>
        {
            var socket = new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified);
            await socket.ConnectAsync(new UnixDomainSocketEndPoint(path), cancel);
            return new NetworkStream(socket, ownsSocket: true);
        },
    };

    private static async Task<string> LineAsync(Process process, string begin)
    {
        while (await process.StandardOutput.ReadLineAsync() is { } line)
        {
            if (line.IndexOf(begin, StringComparison.Ordinal) is >= 0 and var at)
                return line[(at + begin.Length)..];
        }

        throw new InvalidOperationException($"It ended without '{begin}': {await process.StandardError.ReadToEndAsync()}");
    }

    private static async Task<(int Code, string[] Error)> RunAsync(params (string Name, string Value)[] settings)
    {
        using var process = Start(settings);
        var output = process.StandardOutput.ReadToEndAsync();
        var error = await process.StandardError.ReadToEndAsync();
        await process.WaitForExitAsync();
        Assert.Empty(await output);
        return (process.ExitCode, error.Split(Environment.NewLine, StringSplitOptions.RemoveEmptyEntries));
    }

    private static Process Start(params (string Name, string Value)[] settings) => Start([], AppContext.BaseDirectory, settings);

    private static Process Start(string[] arguments, string folder, params (string Name, string Value)[] settings)
    {
        var start = new ProcessStartInfo("dotnet", [Path.Combine(AppContext.BaseDirectory, "Holdfast.Worker.dll"), .. arguments])
        {
            RedirectStandardOutput = true,
            RedirectStandardError = true,
            WorkingDirectory = folder,
        };
        foreach (var (name, value) in settings)
            start.Environment[name] = value;
        return Process.Start(start)!;
    }
}
