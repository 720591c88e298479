using Holdfast.Consumer;

namespace Holdfast.Worker.Settings;

/// <summary>All that the configuration says of one queue: what is set under its name, then what is set for all queues, then the defaults.</summary>
internal sealed class QueueSettings
{
    /// <summary>The one setting of the demo that does not need its handler.</summary>
    public const string ProduceSetting = "Demo__Produce";

    private readonly SettingsSection _shared;
    private readonly SettingsSection? _own;

    /// <summary>The one queue of a worker that has no names for its queues.</summary>
    public QueueSettings(SettingsSection shared, long bytesInFlight) => (_shared, Options) = (shared, new() { MaxBytesInFlight = bytesInFlight });

    public QueueSettings(SettingsSection shared, long bytesInFlight, IConfigurationSection named)
        : this(shared, bytesInFlight)
    {
        Path = $"{WorkerSettings.QueuesKey}__{named.Key}__";
        _own = new(named, Path);
        Handling.Queue = named.Key;
    }

    /// <summary>What the names of its own settings begin with, beside what all of ours begin with; empty where it has none of its own.</summary>
    public string Path { get; } = "";

    public HandlingOptions Handling { get; } = new();

    public QueueOptions Options { get; }

    /// <summary>How many of its messages may be in hand at once. No more are taken than there are processes for: the rest would only wait, and age.</summary>
    public int MostAtOnce => Handling.Uses("Exec") ? Math.Min(Options.MaxConcurrency, Handling.Exec.Processes) : Options.MaxConcurrency;

    /// <summary>Whether it is given the demo's messages. With any other handler only where somebody asks for them.</summary>
    public bool HasProducer => Handling.Demo.Produce > 0 && (Handling.Uses("Demo") || Sets(ProduceSetting));

    /// <summary>Takes in what is set, and gives back what is wrong with what is set under its name.</summary>
    public IEnumerable<OptionError> Read()
    {
        _shared.Fill(Handling);
        _shared.Fill(Options);
        return _own?.Read(Handling, Options) ?? [];
    }

    public void Apply(QueueOptions options)
    {
        _shared.Fill(options);
        _own?.Fill(options);
        (options.MaxConcurrency, options.MaxBytesInFlight) = (MostAtOnce, Options.MaxBytesInFlight);
    }

    /// <summary>Whether a setting is set, for it or for all.</summary>
    public bool Sets(string setting) => _own?.Sets(setting) == true || SetsForAll(setting);

    public bool SetsForAll(string setting) => _shared.Sets(setting);

    /// <summary>The same error, by the name of the setting where it was made: the queue's own, or that of all queues.</summary>
    public OptionError Place(OptionError error) =>
        _own?.Sets(error.Setting) == true || error.Setting == nameof(Handling.Queue) ? error with { Setting = Path + error.Setting } : error;
}
