using System.Collections;
using System.Diagnostics.CodeAnalysis;

namespace Holdfast.Broker.RabbitMq;

/// <summary>The headers of a message that has come, as its properties. Each is read when it is asked for: the client keeps them all, and a second copy would be held as long.</summary>
internal sealed class ReadHeaders : IReadOnlyDictionary<string, object?>
{
    private readonly IDictionary<string, object?> _headers;
    private readonly bool _areTooMany;

    /// <param name="headers">As the client has read them.</param>
    /// <param name="areTooMany">Whether they hold so many values that what lies in lists and tables is not looked into.</param>
    public ReadHeaders(IDictionary<string, object?> headers, bool areTooMany)
    {
        (_headers, _areTooMany, Count) = (headers, areTooMany, headers.Count);
        foreach (var name in HeaderNames.Internal)
        {
            if (headers.ContainsKey(name))
                Count--;
        }
    }

    public int Count { get; }

    public IEnumerable<string> Keys => _headers.Keys.Where(name => !HeaderNames.IsInternal(name));

    public IEnumerable<object?> Values => this.Select(property => property.Value);

    public object? this[string key] => TryGetValue(key, out var value) ? value : throw new KeyNotFoundException($"There is no property {key}.");

    public bool ContainsKey(string key) => !HeaderNames.IsInternal(key) && _headers.ContainsKey(key);

    public bool TryGetValue(string key, [MaybeNullWhen(false)] out object? value)
    {
        value = null;
        if (HeaderNames.IsInternal(key) || !_headers.TryGetValue(key, out var written))
            return false;
        value = Headers.Value(written, _areTooMany);
        return true;
    }

    public IEnumerator<KeyValuePair<string, object?>> GetEnumerator()
    {
        foreach (var (name, value) in _headers)
        {
            if (!HeaderNames.IsInternal(name))
                yield return new(name, Headers.Value(value, _areTooMany));
        }
    }

    IEnumerator IEnumerable.GetEnumerator() => GetEnumerator();
}
