using Holdfast.Scheduling;

namespace Holdfast.Consumer;

/// <summary>Finds the settings that can't be, and says for each what would be right. The engine asks it at its start; a host may ask before, to tell of all mistakes at once.</summary>
public static class OptionsCheck
{
    private static readonly TimeSpan s_shortestAttempt = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan s_day = TimeSpan.FromHours(24);
    private static readonly TimeSpan s_longestDelay = TimeSpan.FromDays(30);

    private static readonly LeaseOptions s_lease = new();
    private static readonly RetryOptions s_retry = new();
    private static readonly BreakerOptions s_breaker = new();

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
        else if (options is { SingleThread: true, Niceness: > 0 })
            yield return new("Niceness", $"{options.Niceness} and SingleThread exclude each other, for the one thread renews the leases too; leave one of them out.");
        if (options.LongTurn <= TimeSpan.Zero)
            yield return NotPositive("LongTurn", options.LongTurn);
        if (!Enum.IsDefined(options.TurnOrder))
            yield return NoneOfThem("TurnOrder", options.TurnOrder);
        if (options.Ageing <= TimeSpan.Zero)
            yield return NotPositive("Ageing", options.Ageing);
        if (options.DrainTimeout < TimeSpan.Zero || options.DrainTimeout > s_day)
            yield return new("DrainTimeout", $"{options.DrainTimeout} is out of range; set 00:00:00 to {s_day}.");
    }

    public static IEnumerable<OptionError> Of(QueueOptions options)
    {
        if (options.MaxConcurrency is < 1 or > 1_000_000)
            yield return new("MaxConcurrency", $"{options.MaxConcurrency} is out of range; set 1 to 1000000.");
        if (options.MaxBytesInFlight < 1)
            yield return new("MaxBytesInFlight", $"{options.MaxBytesInFlight} is out of range; set 1 or more.");
        if (!Enum.IsDefined(options.Admission))
            yield return NoneOfThem("Admission", options.Admission);
        OptionError[] parts =
        [
            .. OfPart("Lease", options.Lease, Of),
            .. OfPart("Retry", options.Retry, Of),
            .. OfPart("Breaker", options.Breaker, Of),
            .. OfPart("RateLimit", options.RateLimit, Of),
        ];
        foreach (var error in parts)
            yield return error;
    }

    private static IEnumerable<OptionError> OfPart<TPart>(string name, TPart? part, Func<TPart, IEnumerable<OptionError>> of)
        where TPart : class =>
        part is null ? [new(name, $"It is null; set a new {typeof(TPart).Name}, or leave it as it is.")] : of(part);

    private static IEnumerable<OptionError> Of(LeaseOptions lease)
    {
        if (lease.MinMargin <= TimeSpan.Zero)
            yield return NotPositive("Lease__MinMargin", lease.MinMargin);
        if (lease.MaxMargin < lease.MinMargin)
            yield return Contradiction("Lease__", new(nameof(lease.MinMargin), lease.MinMargin, s_lease.MinMargin), new(nameof(lease.MaxMargin), lease.MaxMargin, s_lease.MaxMargin));
        if (lease.RenewAfter is not (>= 0.1 and <= 0.8))
            yield return new("Lease__RenewAfter", $"{lease.RenewAfter} is out of range; set the part of the lock after which to renew: 0.1 to 0.8.");
        if (!Enum.IsDefined(lease.AtLimit))
            yield return NoneOfThem("Lease__AtLimit", lease.AtLimit);
    }

    private static OptionError[] Of(RetryOptions retry)
    {
        OptionError[] shared = [.. Of(retry.Terms, "Retry__"), .. OfAttempt(retry.AttemptTimeout)];

        // What a rule leaves unset is as wrong for it as for all.
        return shared.Length > 0 ? shared : [.. retry.Rules.SelectMany(rule => Of(retry.TermsOf(rule.Value), $"Retry__On<{rule.Key.Name}>__"))];
    }

    private static IEnumerable<OptionError> Of(RetryTerms terms, string path)
    {
        if (terms.Immediate is < 0 or > 20)
            yield return new(path + "Immediate", $"{terms.Immediate} is out of range; set 0 to 20.");
        if (terms.ImmediateDelay < TimeSpan.Zero || terms.ImmediateDelay > TimeSpan.FromMinutes(1))
            yield return new(path + "ImmediateDelay", $"{terms.ImmediateDelay} is out of range; set 00:00:00 to 00:01:00, and leave longer waits to the broker (Delay), where nobody holds a lease.");
        if (terms.MaxDeliveries is < 1 or > 1000)
            yield return new(path + "MaxDeliveries", $"{terms.MaxDeliveries} is out of range; set 1 to 1000.");
        if (terms.Delay <= TimeSpan.Zero)
            yield return NotPositive(path + "Delay", terms.Delay);
        if (terms.MaxDelay < terms.Delay)
            yield return Contradiction(path, new(nameof(terms.Delay), terms.Delay, s_retry.Delay), new(nameof(terms.MaxDelay), terms.MaxDelay, s_retry.MaxDelay));
        if (terms.MaxDelay > s_longestDelay)
            yield return new(path + "MaxDelay", $"{terms.MaxDelay} is longer than every broker keeps a message back; set at most {s_longestDelay}.");
        if (terms.DeadLetterReason is "")
            yield return new(path + "DeadLetterReason", "It is empty; set a word, such as bad_order, or leave it out.");
    }

    private static IEnumerable<OptionError> OfAttempt(TimeSpan? timeout)
    {
        if (timeout < s_shortestAttempt || timeout > s_day)
            yield return new("Retry__AttemptTimeout", $"{timeout} is out of range; set 00:00:00.010 to {s_day}, or leave it out.");
    }

    private static IEnumerable<OptionError> Of(BreakerOptions breaker)
    {
        if (breaker.FailureRatio is not (>= 0 and <= 1))
            yield return new("Breaker__FailureRatio", $"{breaker.FailureRatio} is out of range; set the part of the messages that must fail, above 0 to 1, or 0 never to pause.");
        if (breaker.MinimumHandled is < 1 or > 1_000_000)
            yield return new("Breaker__MinimumHandled", $"{breaker.MinimumHandled} is out of range; set 1 to 1000000.");
        if (breaker.Window < TimeSpan.FromSeconds(1) || breaker.Window > s_day)
            yield return new("Breaker__Window", $"{breaker.Window} is out of range; set 00:00:01 to {s_day}.");
        if (breaker.Pause < TimeSpan.FromSeconds(1) || breaker.Pause > s_day)
            yield return new("Breaker__Pause", $"{breaker.Pause} is out of range; set 00:00:01 to {s_day}.");
        else if (breaker.MaxPause < breaker.Pause)
            yield return Contradiction("Breaker__", new(nameof(breaker.Pause), breaker.Pause, s_breaker.Pause), new(nameof(breaker.MaxPause), breaker.MaxPause, s_breaker.MaxPause));
        if (breaker.MaxPause > s_day)
            yield return new("Breaker__MaxPause", $"{breaker.MaxPause} is out of range; set at most {s_day}.");
    }

    private static IEnumerable<OptionError> Of(RateLimitOptions rate)
    {
        if (rate.PerSecond is not (0 or (>= 0.0001 and <= 1_000_000)))
            yield return new("RateLimit__PerSecond", $"{rate.PerSecond} is out of range; set 0.0001 to 1000000 messages a second, or 0 to set no limit.");
        else if (rate.Burst < Math.Max(1, rate.PerSecond / Pacer.LooksPerSecond))
            yield return new("RateLimit__Burst", $"{rate.Burst} would not let {rate.PerSecond} messages a second begin, as room is made {Pacer.LooksPerSecond} times a second; set at least {Math.Max(1, Math.Ceiling(rate.PerSecond / Pacer.LooksPerSecond))}, or leave it out.");
    }

    // A person is to hear of what was set, and not of what is by default.
    private static OptionError Contradiction(string path, Bound least, Bound most) =>
        most.IsDefault
            ? new(path + least.Name, $"{least.Value} is more than {most}; set at most that, or raise {most.Name} too.")
            : new(path + most.Name, $"{most.Value} is less than {least}; set at least that{(least.IsDefault ? $", or lower {least.Name} too" : "")}.");

    private static OptionError NotPositive(string setting, TimeSpan value) =>
        new(setting, $"{value} is not a length of time; set one above zero, such as 00:00:05.");

    private static OptionError NoneOfThem<T>(string setting, T value)
        where T : struct, Enum =>
        new(setting, $"{value} is none of its values; set one of {string.Join(", ", Enum.GetNames<T>())}.");

    private readonly record struct Bound(string Name, TimeSpan Value, TimeSpan Default)
    {
        public bool IsDefault => Value == Default;

        public override string ToString() => IsDefault ? $"{Name}, which is {Value} by default" : $"{Name} ({Value})";
    }
}
