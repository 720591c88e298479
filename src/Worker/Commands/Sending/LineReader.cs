using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Cuts a stream into its lines, whatever bytes they hold: a line ends with LF, or CR and LF.</summary>
internal sealed class LineReader(Stream stream, int longest)
{
    private const byte CarriageReturn = (byte)'\r';
    private const byte LineFeed = (byte)'\n';

    private byte[] _bytes = new byte[4096];
    private int _start;
    private int _end;

    /// <summary>The next line without its end; null where there are no more.</summary>
    /// <exception cref="Failure">It is longer than a line may be.</exception>
    public async Task<byte[]?> NextAsync(CancellationToken cancel)
    {
        var seen = 0;
        int length;
        while ((length = _bytes.AsSpan(_start + seen, _end - _start - seen).IndexOf(LineFeed)) < 0)
        {
            seen = _end - _start;
            if (!await FillAsync(cancel))
                return seen > 0 ? Take(seen, seen) : null;
        }

        length += seen;
        return Take(length > 0 && _bytes[_start + length - 1] == CarriageReturn ? length - 1 : length, length + 1);
    }

    private byte[] Take(int line, int all)
    {
        var taken = _bytes.AsSpan(_start, line).ToArray();
        _start += all;
        return taken;
    }

    private async ValueTask<bool> FillAsync(CancellationToken cancel)
    {
        var kept = _end - _start;
        if (kept > longest)
            throw new Failure($"A line is longer than {longest:#,0} bytes, and no broker takes that much; end each message's line with LF.", ExitCode.Misused);

        var room = kept == _bytes.Length ? new byte[kept * 2] : _bytes;
        _bytes.AsSpan(_start, kept).CopyTo(room);
        (_bytes, _start, _end) = (room, 0, kept);

        // A terminal's or a pipe's read can't be called off: who is told to stop leaves it behind.
        var read = await stream.ReadAsync(_bytes.AsMemory(_end), cancel).AsTask().WaitAsync(cancel);
        _end += read;
        return read > 0;
    }
}
