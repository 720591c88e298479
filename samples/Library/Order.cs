using System.Text.Json;
using System.Text.Json.Serialization;

namespace Holdfast.Samples.Library;

internal sealed record Order(int Number, decimal Amount);

internal sealed record Invoice(int Order, decimal Amount);

/// <summary>What System.Text.Json generates at compile time: no reflection, fit to be trimmed. Without Web it would know no <c>number</c>, only a <c>Number</c>.</summary>
[JsonSourceGenerationOptions(JsonSerializerDefaults.Web)]
[JsonSerializable(typeof(Order))]
[JsonSerializable(typeof(Invoice))]
internal sealed partial class Json : JsonSerializerContext;
