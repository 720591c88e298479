using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Tests.Unit.InMemory;

/// <summary>Properties that their owner still writes to: from some time on whoever reads them fails.</summary>
internal sealed class LiveProperties : IReadOnlyDictionary<string, object?>
{
    private readonly Dictionary<string, object?> _all = new() { ["colour"] = "red" };

    /// <summary>How reading fails; null while it does not.</summary>
    public Exception? Failure { get; set; }

    public int Count => _all.Count;

    public IEnumerable<string> Keys => All.Keys;

    public IEnumerable<object?> Values => All.Values;

    private Dictionary<string, object?> All => Failure is null ? _all : throw Failure;

    public object? this[string key] => All[key];

    public bool ContainsKey(string key) => All.ContainsKey(key);

    public bool TryGetValue(string key, [MaybeNullWhen(false)] out object? value) => All.TryGetValue(key, out value);

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() => All.GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
