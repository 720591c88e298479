namespace Holdfast.Amqp;

/// <summary>A name out of a protocol's vocabulary; it travels as ASCII.</summary>
public readonly struct Symbol(string value) : IEquatable<Symbol>
{
    private readonly string? _value = value;

    public string Value => _value ?? "";

    public static implicit operator Symbol(string value) => new(value);

    public static bool operator ==(Symbol left, Symbol right) => left.Equals(right);

    public static bool operator !=(Symbol left, Symbol right) => !left.Equals(right);

    public bool Equals(Symbol other) => Value == other.Value;

    public override bool Equals(object? obj) => obj is Symbol other && Equals(other);

    public override int GetHashCode() => Value.GetHashCode();

    public override string ToString() => Value;
}
