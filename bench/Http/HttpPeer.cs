using System.Diagnostics;
using System.Text.Json;

namespace Holdfast.Bench;

/// <summary>One side of the comparison in a process of its own, from both its ends: it runs a round when it is told to, and says what a message cost.</summary>
internal sealed class HttpPeer : IDisposable
{
    public const string Argument = "--http-peer";
    private const string Holdfast = "holdfast";
    private const string Loops = "loops";
    private const string LoopsWithHeaders = "loops-with-headers";

    private readonly Process _process;

    private HttpPeer(Process process) => _process = process;

    public static HttpPeer StartHoldfast(string url, bool http2) => new(Child.StartAsWorker([Argument, Holdfast, url, $"{http2}"]));

    public static HttpPeer StartLoops(string url, bool http2, bool withHeaders) => new(Child.Start(null, [Argument, withHeaders ? LoopsWithHeaders : Loops, url, $"{http2}"]));

    public Cost Run(int messages)
    {
        _process.StandardInput.WriteLine(messages);
        return _process.StandardOutput.ReadLine() is { } cost
            ? JsonSerializer.Deserialize<Cost>(cost)
            : throw new InvalidOperationException("A side of the comparison has ended.");
    }

    public void Dispose()
    {
        _process.StandardInput.Close();
        _process.WaitForExit();
        _process.Dispose();
    }

    /// <summary>What the process does, until its parent is gone.</summary>
    public static int Serve(string side, string url, bool http2)
    {
        while (Console.In.ReadLine() is { } messages)
        {
            var cost = side == Holdfast ? Forwarding.Run(url, http2, int.Parse(messages)) : PostLoops.Run(url, http2, int.Parse(messages), withHeaders: side == LoopsWithHeaders);

            // What has become hot is compiled once more between the rounds, and not within the next.
            JitQuiet.Wait();
            Console.Out.WriteLine(JsonSerializer.Serialize(cost));
        }

        return 0;
    }
}
