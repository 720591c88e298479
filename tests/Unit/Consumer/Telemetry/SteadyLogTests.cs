using System.Diagnostics;
using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SteadyLogTests
{
    private readonly List<string> _told = [];
    private readonly FullDisk _disk = new();

    [Fact]
    public async Task A_log_that_fails_is_told_of_once_until_it_works_again()
    {
        var log = new SteadyLog(_disk, _told.Add);

        log.Consuming("one");
        log.Consuming("two");
        await log.WrittenAsync();
        Assert.Equal(["Holdfast can't log: IOException: No space left on device. Messages are handled on."], _told);

        _disk.IsFull = false;
        log.Consuming("three");
        await log.WrittenAsync();
        _disk.IsFull = true;
        log.Consuming("four");
        await log.WrittenAsync();

        Assert.Equal(["Broker reached: consuming three."], _disk.Written);
        Assert.Equal(2, _told.Count);
    }

    [Fact]
    public async Task Where_there_is_nowhere_to_tell_it_nothing_fails_either()
    {
        var log = new SteadyLog(_disk, _ => throw new IOException("No space left on device."));
        log.Consuming("one");
        await log.WrittenAsync();

        _disk.IsFull = false;
        log.Consuming("two");
        await log.WrittenAsync();

        Assert.Equal(["Broker reached: consuming two."], _disk.Written);
    }

    [Fact]
    public async Task One_that_stands_still_holds_nobody_up_and_what_it_had_no_room_for_is_told()
    {
        const int TooMany = 5;
        _disk.IsFull = false;
        var log = new SteadyLog(_disk, _told.Add);
        _disk.MayWrite.Reset();
        for (var i = 0; i < SteadyLog.MostLines + TooMany; i++)
            log.Consuming($"{i}");

        _disk.MayWrite.Set();
        await log.WrittenAsync();

        Assert.Equal(SteadyLog.MostLines + 1, _disk.Written.Count);
        Assert.Equal($"{TooMany} lines are left out here: the log was not written as fast as it came. Messages were handled on.", _disk.Written[1]);
    }

    [Fact]
    public async Task A_line_is_of_the_span_that_it_was_said_in()
    {
        _disk.IsFull = false;
        var log = new SteadyLog(_disk, _told.Add);

        using (var span = new Activity("handling").Start())
            log.Consuming("one");
        await log.WrittenAsync();

        Assert.Equal(["handling"], _disk.Spans);
    }

    private sealed class FullDisk : ILogger
    {
        public bool IsFull { get; set; } = true;

        public List<string> Written { get; } = [];

        public List<string?> Spans { get; } = [];

        public ManualResetEventSlim MayWrite { get; } = new(true);

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            MayWrite.Wait();
            if (IsFull)
                throw new IOException("No space left on device.");
            Written.Add(formatter(state, exception));
            Spans.Add(Activity.Current?.OperationName);
        }
    }
}
