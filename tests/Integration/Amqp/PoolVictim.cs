using System.Diagnostics;
using Holdfast.Amqp;

namespace Holdfast.Tests.Integration;

/// <summary>A process whose thread pool is blocked to the last thread while its connection goes on: opening, sending, receiving, settling, beating, closing.</summary>
internal static class PoolVictim
{
    public const string Verb = "amqp-without-pool";

    // Longer than either side would bear silence.
    private static readonly TimeSpan s_howLong = TimeSpan.FromSeconds(5);
    private static readonly TimeSpan s_patience = TimeSpan.FromSeconds(20);

    /// <summary>Prints how often a message went there and back.</summary>
    public static int Run(int port)
    {
        using var block = new ManualResetEvent(false);
        BlockPool(block);

        var there = 0;
        var session = Wait(Peers.OpenAsync(Peers.Options(port, idleTimeout: TimeSpan.FromSeconds(2))));
        Wait(session.OpenReceiverAsync(
            new ReceiverOptions
            {
                Source = new Source { Address = "orders" },
                SettleMode = ReceiverSettleMode.Second,
                Credit = 10,
                RenewsCredit = true,
                OnDelivery = delivery => _ = SettleAsync(delivery),
            },
            default).AsTask());
        var sender = Wait(session.SenderAsync("orders"));
        var watch = Stopwatch.StartNew();
        var sent = 0;
        for (; watch.Elapsed < s_howLong; sent++)
            Wait(sender.SendAsync(Peers.Encoded("x"u8.ToArray()), 0, settled: false, default).AsTask());
        if (!SpinWait.SpinUntil(() => Volatile.Read(ref there) == sent, s_patience))
            throw new InvalidOperationException($"{sent} were sent, and {there} came back.");
        Wait(session.Connection.CloseAsync(default).AsTask());
        if (!SpinWait.SpinUntil(() => !ThreadNames().Any(name => name.StartsWith("amqp-", StringComparison.Ordinal)), s_patience))
            throw new InvalidOperationException("A thread of the connection is left.");
        Console.WriteLine($"{sent} there and back");
        return 0;

        async Task SettleAsync(AmqpDelivery delivery)
        {
            await delivery.Receiver.SettleAsync(delivery, Accepted.Instance, default).ConfigureAwait(false);
            Interlocked.Increment(ref there);
        }
    }

    private static IEnumerable<string> ThreadNames() => Directory.EnumerateDirectories("/proc/self/task").Select(task =>
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            return "";
        }
    });

    private static void BlockPool(ManualResetEvent block)
    {
        ThreadPool.SetMinThreads(1, 1);
        ThreadPool.SetMaxThreads(Environment.ProcessorCount, Environment.ProcessorCount);
        for (var i = 0; i < 100; i++)
            ThreadPool.UnsafeQueueUserWorkItem(_ => block.WaitOne(), null);
        using var ran = new ManualResetEvent(false);
        ThreadPool.UnsafeQueueUserWorkItem(_ => ran.Set(), null);
        if (ran.WaitOne(TimeSpan.FromSeconds(1)))
            throw new InvalidOperationException("The pool is not blocked.");
    }

    private static T Wait<T>(Task<T> task) => task.Wait(s_patience) ? task.Result : throw new TimeoutException("It waits for the pool.");

    private static void Wait(Task task)
    {
        if (!task.Wait(s_patience))
            throw new TimeoutException("It waits for the pool.");
    }
}
