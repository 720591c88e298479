using Holdfast.Consumer;
using Microsoft.Extensions.Logging;

namespace Holdfast.Tests.Unit.Consumer;

public sealed class SteadyLogTests
{
    private readonly List<string> _told = [];
    private readonly FullDisk _disk = new();

    [Fact]
    public void A_log_that_fails_is_told_of_once_until_it_works_again()
    {
        var log = new SteadyLog(_disk, _told.Add);

        log.Consuming("one");
        log.Consuming("two");
        Assert.Equal(["Holdfast can't log: IOException: No space left on device. Messages are handled on."], _told);

        _disk.IsFull = false;
        log.Consuming("three");
        _disk.IsFull = true;
        log.Consuming("four");

        Assert.Equal(["Broker reached: consuming three."], _disk.Written);
        Assert.Equal(2, _told.Count);
    }

    [Fact]
    public void Where_there_is_nowhere_to_tell_it_nothing_fails_either() =>
        new SteadyLog(_disk, _ => throw new IOException("No space left on device.")).Consuming("one");

    private sealed class FullDisk : ILogger
    {
        public bool IsFull { get; set; } = true;

        public List<string> Written { get; } = [];

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => true;

        public void Log<TState>(LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
        {
            if (IsFull)
                throw new IOException("No space left on device.");
            Written.Add(formatter(state, exception));
        }
    }
}
