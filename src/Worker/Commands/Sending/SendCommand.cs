using System.CommandLine;
using Holdfast.Worker.Hosting;

namespace Holdfast.Worker.Commands;

/// <summary>Sends messages: one body, one for each line, or one many times.</summary>
internal sealed class SendCommand
{
    public const string Name = "send";

    private readonly Argument<string?> _file = new("FILE") { Description = "What to send; - or nothing is standard input.", Arity = ArgumentArity.ZeroOrOne };
    private readonly Option<string?> _body = new("--body") { Description = "What to send, as text.", HelpName = "TEXT" };
    private readonly Option<bool> _lines = new("--lines") { Description = "A message for each line." };
    private readonly Option<int?> _count = CommonOptions.Positive<int>(new("--count") { Description = "Send it so many times.", HelpName = "N" });
    private readonly Option<string?> _id = new("--id") { Description = "The message's id; of several: what they begin with. Made up without it.", HelpName = "ID" };
    private readonly Option<KeyValuePair<string, string>[]> _properties = CommonOptions.Properties("A property of the message; may be given several times.");
    private readonly Option<string?> _contentType = new("--content-type") { Description = "What the body is, such as application/json.", HelpName = "TYPE" };
    private readonly Option<string?> _encoding = new("--content-encoding") { Description = "How it is packed already, such as gzip.", HelpName = "CODING" };
    private readonly Option<string?> _correlation = new("--correlation-id") { Description = "What it belongs to.", HelpName = "ID" };
    private readonly Option<byte> _priority = CommonOptions.Byte("--priority", "Its urgency; 0 is ordinary.");
    private readonly Option<string?> _session = new("--session") { Description = "The session that it belongs to.", HelpName = "ID" };
    private readonly Option<string?> _subject = new("--subject") { Description = "What kind of message it is.", HelpName = "TEXT" };
    private readonly Option<string?> _replyTo = new("--reply-to") { Description = "The queue that an answer is to go to.", HelpName = "QUEUE" };
    private readonly Option<TimeSpan?> _life = CommonOptions.Positive<TimeSpan>(new("--time-to-live") { Description = "Give it up when it has waited for so long.", HelpName = "20s" });
    private readonly Option<TimeSpan?> _delay = CommonOptions.Duration("--delay", "Deliver it so much later.");
    private readonly Option<double?> _rate = CommonOptions.Rate();

    public static Command Create(Workbench bench) => new SendCommand().Define(bench);

    private Command Define(Workbench bench)
    {
        var command = new Command(Name, "Send messages to a queue.")
        {
            _file, _body, _lines, _count, _id, _properties, _contentType, _encoding, _correlation, _priority, _session, _subject, _replyTo, _life, _delay, _rate,
        };
        return Job.Define(bench, command, (job, parsed, cancel) => RunAsync(job, bench, parsed, cancel));
    }

    private async Task<int> RunAsync(Job job, Workbench bench, ParseResult parsed, CancellationToken cancel)
    {
        var source = new BodySource(parsed.GetValue(_file), parsed.GetValue(_body), parsed.GetValue(_lines), parsed.GetValue(_count), bench.Input);
        source.Check();
        var pattern = new MessagePattern
        {
            Id = parsed.GetValue(_id) ?? $"{Guid.NewGuid():N}",
            IsOne = source.Count == 1,
            ContentType = parsed.GetValue(_contentType),
            ContentEncoding = parsed.GetValue(_encoding),
            CorrelationId = parsed.GetValue(_correlation),
            Priority = parsed.GetValue(_priority),
            SessionId = parsed.GetValue(_session),
            Subject = parsed.GetValue(_subject),
            ReplyTo = parsed.GetValue(_replyTo),
            TimeToLive = parsed.GetValue(_life),
            Properties = (parsed.GetValue(_properties) ?? []).ToDictionary(pair => pair.Key, object? (pair) => pair.Value),
        };

        await using var broker = job.OpenBroker();
        await using var sender = await broker.OpenSenderAsync(job.Queue, cancel);
        var posting = new Posting(sender, parsed.GetValue(_delay) ?? TimeSpan.Zero, parsed.GetValue(_rate), job.Time);
        Exception? problem = null;
        try
        {
            await job.Screen.WatchAsync("Sending", source.Count, progress => posting.RunAsync(pattern.Fill(source.ReadAsync(cancel)), progress, cancel));
        }
        catch (Exception e)
        {
            problem = e;
        }

        job.Screen.Outcome(
            new { queue = job.Queue, id = pattern.Id, sent = posting.Sent, inDoubt = posting.InDoubt, refused = posting.Refused, unsent = posting.Unsent },
            $"Sent {posting.Sent:#,0} to '{job.Queue}', {(pattern.IsOne ? "id" : "ids beginning with")} {pattern.Id}.{(posting.InDoubt > 0 ? $" Of {posting.InDoubt:#,0} more nobody knows." : "")}{(posting.Refused > 0 ? $" Refused: {posting.Refused:#,0}." : "")}{(posting.Unsent > 0 ? $" Not sent: {posting.Unsent:#,0}." : "")}");
        if (problem is null)
            return ExitCode.Stopped;
        job.Screen.Fail(problem is OperationCanceledException && cancel.IsCancellationRequested ? "It was interrupted." : problem.Message);
        return problem is Failure failure ? failure.ExitCode : ExitCode.Failed;
    }
}
