namespace Holdfast.Bench;

/// <summary>How many messages the engine forwards to an HTTP endpoint, beside loops that do nothing but post.</summary>
internal static class HttpCase
{
    public const string ContentType = "application/json";
    public const int AtOnce = 64;
    private const double LeastRate = 0.8;
    private const int WarmUps = 2;

    // Some 0.1 ms of CPU here: what it takes to read a small document and to look something up.
    private const int Hashes = 80;
    private const int Milliseconds = 5;

    public static byte[] Body { get; } = new byte[1024];

    public static Case Case { get; } = new(
        "http",
        $"the Http handler forwards messages of {Body.Length} bytes, {AtOnce} at once, at {LeastRate} or more of the rate at which as many loops post the same bodies with an HttpClient to the same server; the queue is filled before. The server only answers, or hashes the body {Hashes} times, or answers after {Milliseconds} ms.",
        ["what", "Holdfast", "HttpClient in loops", "ratio", "the same with the handler's headers", "ratio"],
        [.. Parts("HTTP/1.1", http2: false), .. Parts("HTTP/2", http2: true)]);

    private static Part[] Parts(string version, bool http2) =>
    [
        Part(version, http2, 50_000),
        Part($"{version}, hashes", http2, 10_000, hashes: Hashes),
        Part($"{version}, waits", http2, 10_000, milliseconds: Milliseconds),
    ];

    private static Part Part(string name, bool http2, int messages, int hashes = 0, int milliseconds = 0) =>
        new(name, scale => Measure(name, http2, scale, scale.Pick(messages, 2_000), hashes, milliseconds));

    private static Outcome Measure(string name, bool http2, Scale scale, int messages, int hashes, int milliseconds)
    {
        using var server = new HttpServer();
        var url = server.Url(http2, hashes, milliseconds);
        using var holdfast = HttpPeer.StartHoldfast(url, http2);
        using var loops = HttpPeer.StartLoops(url, http2, withHeaders: false);
        using var equals = HttpPeer.StartLoops(url, http2, withHeaders: true);
        var rounds = Interleaved.Run(WarmUps, scale.Pick(9, 1), () => holdfast.Run(messages), () => loops.Run(messages), () => equals.Run(messages));

        double[][] rates = [.. rounds.Select(costs => costs.Select(cost => 1e9 / cost.WallNanoseconds).ToArray())];
        var ratio = Reading.Ratio(rates[0], rates[1]);
        return new(
            [
                new(Cells($"{name}, messages a second", rates, $"{ratio}", $"{Reading.Ratio(rates[0], rates[2])}"), $"at least {LeastRate}", ratio.Value >= LeastRate, IsRelative: true),
                new(Cells($"{name}, µs of CPU for a message", [.. rounds.Select(costs => costs.Select(cost => cost.CpuNanoseconds / 1000).ToArray())])),
                new(Cells($"{name}, bytes for a message", [.. rounds.Select(costs => costs.Select(cost => cost.Bytes).ToArray())])),
            ],
            $"{messages:#,0} messages a round; the server and either side are processes of their own, and the server's CPU is not counted");
    }

    private static string[] Cells(string what, double[][] found, string ratio = "", string ratioOfEquals = "") =>
        [what, $"{Reading.Median(found[0])}", $"{Reading.Median(found[1])}", ratio, $"{Reading.Median(found[2])}", ratioOfEquals];
}
