using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Finds the settings that can't be, and says for each what would be right. The engine asks it at its start; a host may ask before, to tell of all mistakes at once.</summary>
public static class OptionsCheck
{
    public static IEnumerable<OptionError> Of(HoldfastOptions options)
    {
        if (options.Threads is < 1 or > LaneSchedulerOptions.MostThreads)
            yield return new("Threads", $"{options.Threads} is not a number of threads; set 1 to {LaneSchedulerOptions.MostThreads}, or leave it out to follow the CPU quota.");
        if (options is { SingleThread: true, Threads: > 1 })
            yield return new("Threads", $"{options.Threads} threads and SingleThread exclude each other; leave one of them out.");
        if (options.MaxSpareThreads is < 0 or > 10_000)
            yield return new("MaxSpareThreads", $"{options.MaxSpareThreads} is out of range; set 0 to 10000.");
        if (options.Niceness is < 0 or > 19)
            yield return new("Niceness", $"{options.Niceness} is out of range; set 0 (as urgent as the rest) to 19 (the least urgent).");
        if (options.LongTurn <= TimeSpan.Zero)
            yield return NotPositive("LongTurn", options.LongTurn);
        if (options.Ageing <= TimeSpan.Zero)
            yield return NotPositive("Ageing", options.Ageing);
        if (options.DrainTimeout < TimeSpan.Zero || options.DrainTimeout > TimeSpan.FromHours(24))
            yield return new("DrainTimeout", $"{options.DrainTimeout} is out of range; set 00:00:00 to 24:00:00.");
    }

    public static IEnumerable<OptionError> Of(QueueOptions options)
    {
        if (options.MaxConcurrency is < 1 or > 1_000_000)
            yield return new("MaxConcurrency", $"{options.MaxConcurrency} is out of range; set 1 to 1000000.");
        if (options.MaxBytesInFlight < 1)
            yield return new("MaxBytesInFlight", $"{options.MaxBytesInFlight} is out of range; set 1 or more.");
        foreach (var error in Of(options.Lease).Concat(Of(options.Retry)))
            yield return error;
    }

    private static IEnumerable<OptionError> Of(LeaseOptions lease)
    {
        if (lease.MinMargin <= TimeSpan.Zero)
            yield return NotPositive("Lease__MinMargin", lease.MinMargin);
        if (lease.MaxMargin < lease.MinMargin)
            yield return new("Lease__MaxMargin", $"{lease.MaxMargin} is less than MinMargin ({lease.MinMargin}); set at least that.");
        if (lease.RenewAfter is not (>= 0.1 and <= 0.8))
            yield return new("Lease__RenewAfter", $"{lease.RenewAfter} is out of range; set the part of the lock after which to renew: 0.1 to 0.8.");
    }

    private static IEnumerable<OptionError> Of(RetryOptions retry)
    {
        if (retry.Immediate is < 0 or > 20)
            yield return new("Retry__Immediate", $"{retry.Immediate} is out of range; set 0 to 20.");
        if (retry.ImmediateDelay < TimeSpan.Zero || retry.ImmediateDelay > TimeSpan.FromMinutes(1))
            yield return new("Retry__ImmediateDelay", $"{retry.ImmediateDelay} is out of range; set 00:00:00 to 00:01:00, and leave longer waits to the broker (Delay), where nobody holds a lease.");
        if (retry.MaxDeliveries is < 1 or > 1000)
            yield return new("Retry__MaxDeliveries", $"{retry.MaxDeliveries} is out of range; set 1 to 1000.");
        if (retry.Delay <= TimeSpan.Zero)
            yield return NotPositive("Retry__Delay", retry.Delay);
        if (retry.MaxDelay < retry.Delay)
            yield return new("Retry__MaxDelay", $"{retry.MaxDelay} is less than Delay ({retry.Delay}); set at least that.");
    }

    private static OptionError NotPositive(string setting, TimeSpan value) =>
        new(setting, $"{value} is not a length of time; set one above zero, such as 00:00:05.");
}
