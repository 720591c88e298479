using Holdfast.Broker;
using Microsoft.AspNetCore.WebUtilities;

namespace Holdfast.Worker.Http;

/// <summary>What an endpoint answered that was no success, and what becomes of the message then. Decides only.</summary>
internal sealed record Answer(string Endpoint, int Status)
{
    // Less would let a message go round as fast as the broker turns.
    private static readonly TimeSpan s_shortestDelay = TimeSpan.FromSeconds(1);

    /// <summary>How long the endpoint asks to be left alone.</summary>
    public TimeSpan? RetryAfter { get; init; }

    /// <summary>Where a redirect leads to.</summary>
    public string? Location { get; init; }

    public string Excerpt { get; init; } = "";

    private string Description => $"{Endpoint} answered {Show(Status)}{(Excerpt.Length > 0 ? $": {Excerpt}" : "")}";

    // 304 and its neighbours lead nowhere, unless they say where.
    private bool IsRedirect => Status is 301 or 302 or 303 or 307 or 308 || (Status is >= 300 and < 400 && Location is not null);

    /// <exception cref="EndpointException">The queue's policy for failures is to decide.</exception>
    public Settlement Settle(TimeSpan longestDelay) => Status switch
    {
        429 or 503 when RetryAfter is { } wait => Settlement.Delay(Bounded(wait, longestDelay)),
        407 => throw new EndpointException($"{Description}. A proxy says so; set its user and password in HTTP_PROXY or HTTPS_PROXY, or the endpoint's host in NO_PROXY."),
        >= 400 and < 500 and not (408 or 425 or 429) => Settlement.DeadLetter($"http_{Status}", Description),
        _ when IsRedirect => throw new EndpointException($"{Description}. Redirects are not followed; set Worker__Http__Url to where it leads{(Location is null ? "" : $" ({Location})")}."),
        _ => throw new EndpointException(Description),
    };

    /// <summary>A status with its name, if it has one.</summary>
    public static string Show(int status) => $"{status} {ReasonPhrases.GetReasonPhrase(status)}".Trim();

    private static TimeSpan Bounded(TimeSpan wait, TimeSpan longest)
    {
        var least = wait > s_shortestDelay ? wait : s_shortestDelay;
        return least < longest ? least : longest;
    }
}
