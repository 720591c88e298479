using System.Runtime.CompilerServices;
using System.Text;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Where bodies come from: a file, a text or standard input, as a whole or by its lines.</summary>
internal sealed class BodySource(string? file, string? text, bool byLines, int? count, Stream? input)
{
    private const string StandardInput = "-";
    private const string Nothing = "There is nothing to send; give a FILE, --body TEXT, or pipe something in.";

    // RabbitMQ takes 512 MiB at most, and Service Bus 100 MB.
    private const int LongestLine = 512 * 1024 * 1024;

    /// <summary>How many there will be; null where that shows in the end.</summary>
    public int? Count => byLines ? null : count ?? 1;

    /// <exception cref="Failure">There is no such source.</exception>
    public void Check()
    {
        if (file is not null && text is not null)
            throw Wrong("Both a FILE and --body are given; leave one of them out.");
        if (byLines && count is not null)
            throw Wrong("--count and --lines don't go together; leave one of them out.");
        if (text is null && file is null or StandardInput && input is null)
            throw Wrong(Nothing);
        if (file is not (null or StandardInput) && !File.Exists(file))
            throw Wrong($"There is no file '{file}'.");
    }

    /// <exception cref="Failure">What came can't be a message.</exception>
    public async IAsyncEnumerable<ReadOnlyMemory<byte>> ReadAsync([EnumeratorCancellation] CancellationToken cancel)
    {
        await using var stream = Open();
        if (byLines)
        {
            var lines = new LineReader(stream, LongestLine);
            while (await lines.NextAsync(cancel) is { } line)
                yield return line;
            yield break;
        }

        using var whole = new MemoryStream();
        await stream.CopyToAsync(whole, cancel).WaitAsync(cancel);

        // Under cron, systemd or ssh -n standard input is /dev/null: nobody meant that.
        if (whole.Length == 0 && text is null && file is null)
            throw Wrong(Nothing);
        var body = whole.GetBuffer().AsMemory(0, (int)whole.Length);
        for (var n = 0; n < Count; n++)
            yield return body;
    }

    private Stream Open() =>
        text is not null ? new MemoryStream(Encoding.UTF8.GetBytes(text))
        : file is null or StandardInput ? input!
        : File.OpenRead(file);

    private static Failure Wrong(string message) => new(message, ExitCode.Misused);
}
