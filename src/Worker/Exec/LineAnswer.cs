using System.Globalization;
using System.Text.Json;
using System.Text.Unicode;
using Holdfast.Broker;
using Holdfast.Worker.Terminal;

namespace Holdfast.Worker.Exec;

/// <summary>What a process answers in a line of JSON, and what that makes of the message.</summary>
internal sealed record LineAnswer(string? Id, string? Result, double? Seconds, string? Reason, string? Description)
{
    private const string Delay = "delay";
    private const int LongestReason = 100;
    private const int LongestDescription = 1_000;
    private static readonly TimeSpan s_longestDelay = TimeSpan.FromDays(24);

    // Less would let a message go round as fast as the broker turns.
    private static readonly TimeSpan s_shortestDelay = TimeSpan.FromSeconds(1);

    private static readonly JsonSerializerOptions s_json = new(JsonSerializerDefaults.Web);

    /// <exception cref="FormatException">It is no answer to this message.</exception>
    public static LineAnswer Read(ReadOnlySpan<byte> line, string id)
    {
        // The reader would accuse whichever text it is in of not being one.
        if (!Utf8.IsValid(line))
            throw new FormatException("Its answer is not in UTF-8");
        try
        {
            if (JsonSerializer.Deserialize<LineAnswer>(line, s_json) is not { } answer || answer.Id != id || !answer.IsKnown)
                throw new FormatException("Its answer names another id, or a result that there is not");
            return answer.CanWait
                ? answer
                : throw new FormatException(string.Create(CultureInfo.InvariantCulture, $"Its answer asks for a delay of {answer.Seconds} seconds, which must be more than 0 and at most {s_longestDelay.TotalSeconds} (24 days)"));
        }
        catch (JsonException wrong)
        {
            // The reader's own exception is in it where it is no JSON at all.
            throw new FormatException(wrong.InnerException is JsonException
                ? "Its answer is not a line of JSON"
                : $"Its answer is of the wrong kind at {wrong.Path}: it must be an object, where seconds is a number, and id, result, reason and description are text");
        }
    }

    /// <exception cref="CommandFailedException">The process asks for another try.</exception>
    public Settlement Settle(TimeSpan delay) => Result switch
    {
        "complete" => Settlement.Complete,
        Delay => Settlement.Delay(Seconds is { } seconds ? TimeSpan.FromSeconds(Math.Max(seconds, s_shortestDelay.TotalSeconds)) : delay),
        "dead_letter" => Settlement.DeadLetter(Cut(Said(Reason) ?? ExitMeaning.Refused, LongestReason), Cut(Said(Description) ?? "The command gave no description.", LongestDescription)),
        _ => throw new CommandFailedException($"The command asks for another try{(Said(Description) is { } why ? $": {Cut(why, LongestDescription)}" : "")}"),
    };

    private bool IsKnown => Result is Delay or "complete" or "dead_letter" or "retry";

    private bool CanWait => Result != Delay || Seconds is null || (Seconds > 0 && Seconds <= s_longestDelay.TotalSeconds);

    // Blank is not said: nobody could group by it, or learn anything from it.
    private static string? Said(string? text) => string.IsNullOrWhiteSpace(text) ? null : text;

    private static string Cut(string text, int most) => Printable.Cut(Printable.OneLine(text), most);
}
