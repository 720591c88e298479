using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Consumer;

/// <summary>A message's properties but one. Nothing is copied: they may be large, and are held as long as the message.</summary>
internal sealed class PropertiesWithout(string hidden, IReadOnlyDictionary<string, object?> all) : IReadOnlyDictionary<string, object?>
{
    public int Count => all.Count - 1;

    public IEnumerable<string> Keys => all.Keys.Where(name => name != hidden);

    public IEnumerable<object?> Values => this.Select(property => property.Value);

    public object? this[string key] => key != hidden ? all[key] : throw new KeyNotFoundException($"There is no property {key}.");

    public bool ContainsKey(string key) => key != hidden && all.ContainsKey(key);

    public bool TryGetValue(string key, [MaybeNullWhen(false)] out object? value)
    {
        value = null;
        return key != hidden && all.TryGetValue(key, out value);
    }

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator() => all.Where(property => property.Key != hidden).GetEnumerator();

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
