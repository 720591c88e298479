using System.Text.Json.Serialization;

namespace Holdfast.Samples.Library;

internal sealed record Order(int Number, decimal Amount);

internal sealed record Invoice(int Order, decimal Amount);

/// <summary>What System.Text.Json generates at compile time: no reflection, fit to be trimmed.</summary>
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Invoice))]
internal sealed partial class Json : JsonSerializerContext;
