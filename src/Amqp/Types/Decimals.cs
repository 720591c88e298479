namespace Holdfast.Amqp;

/// <summary>The bits of an IEEE 754 decimal of 32 bits, passed on as they are.</summary>
public readonly record struct Decimal32(uint Bits);

/// <summary>The bits of an IEEE 754 decimal of 64 bits, passed on as they are.</summary>
public readonly record struct Decimal64(ulong Bits);

/// <summary>The bits of an IEEE 754 decimal of 128 bits, passed on as they are.</summary>
public readonly record struct Decimal128(UInt128 Bits);
