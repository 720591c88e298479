using System.Text;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Exec;

/// <summary>Logs what a process writes, line by line and so many lines at most, and keeps the last of it: bounded, whatever comes. Any thread.</summary>
internal sealed class OutputLog(int mostLines, Action<string> log)
{
    private const int LongestLine = 1_000;
    private const int LongestTail = 1_000;

    private readonly Lock _gate = new();
    private readonly byte[] _line = new byte[LongestLine];
    private readonly byte[] _tail = new byte[LongestTail];
    private int _lineLength;
    private int _tailLength;
    private int _lines;
    private long _unlogged;

    /// <summary>The last that it wrote, in a line.</summary>
    public string LastWords
    {
        get
        {
            lock (_gate)
                return Printable.CutBeginning(Text(_tail.AsSpan(0, _tailLength)).Trim(), LongestTail);
        }
    }

    /// <summary>Reads to the end, however much it is: a process whose output nobody takes would stand still.</summary>
    public async Task ReadAsync(Stream output, CancellationToken cancel)
    {
        var buffer = new byte[4_096];
        try
        {
            while (await output.ReadAsync(buffer, cancel) is > 0 and var read)
                Add(buffer.AsSpan(0, read));
        }
        catch (Exception ended) when (ended is IOException or OperationCanceledException or ObjectDisposedException)
        {
            // As good as its end: nobody listens any longer.
        }

        End();
    }

    public void Add(ReadOnlySpan<byte> bytes)
    {
        lock (_gate)
        {
            Keep(bytes);
            while (_lines < mostLines && bytes.IndexOf((byte)'\n') is >= 0 and var end)
            {
                Gather(bytes[..end]);
                EndLine();
                bytes = bytes[(end + 1)..];
            }

            if (_lines < mostLines)
                Gather(bytes);
            else
                _unlogged += bytes.Length;
        }
    }

    /// <summary>What comes from now on is another message's.</summary>
    public void Begin()
    {
        lock (_gate)
        {
            End();
            _tailLength = 0;
        }
    }

    /// <summary>Nothing more comes: logs what is left.</summary>
    public void End()
    {
        lock (_gate)
        {
            if (_lineLength > 0)
                EndLine();
            if (_unlogged > 0)
                log($"({_unlogged} bytes more are not logged: Worker__Exec__LogLines is {mostLines}, and a line is cut at {LongestLine} bytes)");
            (_lines, _unlogged) = (0, 0);
        }
    }

    private void Gather(ReadOnlySpan<byte> part)
    {
        var fitting = Math.Min(part.Length, LongestLine - _lineLength);
        part[..fitting].CopyTo(_line.AsSpan(_lineLength));
        _lineLength += fitting;
        _unlogged += part.Length - fitting;
    }

    private void EndLine()
    {
        log(Text(_line.AsSpan(0, _lineLength)));
        _lineLength = 0;
        _lines++;
    }

    private void Keep(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length > LongestTail)
            bytes = bytes[^LongestTail..];
        var kept = Math.Min(_tailLength, LongestTail - bytes.Length);
        _tail.AsSpan(_tailLength - kept, kept).CopyTo(_tail);
        bytes.CopyTo(_tail.AsSpan(kept));
        _tailLength = kept + bytes.Length;
    }

    private static string Text(ReadOnlySpan<byte> bytes) => Printable.OneLine(Encoding.UTF8.GetString(bytes).TrimEnd('\r', '\n'));
}
