using System.Text;
using System.Text.Json;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>A body as the bytes that a handler sees: data as they are, a text as UTF-8, any other value as JSON; none of what can't be read.</summary>
internal static class BodyBytes
{
    public static ReadOnlyMemory<byte> Of(MessageBody? body) => body switch
    {
        DataBody data => data.Bytes,
        ValueBody { Value: var value } => Value(value),
        SequenceBody { Sections: [var only] } => Json(only),
        SequenceBody sequence => Json(sequence.Sections.SelectMany(section => section).ToList()),
        _ => default,
    };

    private static ReadOnlyMemory<byte> Value(object? value) => value switch
    {
        null => default,
        byte[] bytes => bytes,
        string text => Encoding.UTF8.GetBytes(text),
        _ => Json(value),
    };

    private static byte[] Json(object value)
    {
        using var stream = new MemoryStream();
        using (var writer = new Utf8JsonWriter(stream))
            Write(writer, value);
        return stream.ToArray();
    }

    private static void Write(Utf8JsonWriter writer, object? value)
    {
        switch (value)
        {
            case null:
                writer.WriteNullValue();
                break;
            case bool yes:
                writer.WriteBooleanValue(yes);
                break;
            case byte or sbyte or short or ushort or int or uint or long:
                writer.WriteNumberValue(Convert.ToInt64(value, null));
                break;
            case ulong number:
                writer.WriteNumberValue(number);
                break;
            case float or double when double.IsFinite(Convert.ToDouble(value, null)):
                writer.WriteNumberValue(Convert.ToDouble(value, null));
                break;
            case decimal number:
                writer.WriteNumberValue(number);
                break;
            case Decimal32 number:
                Write(writer, DecimalValues.Read(number));
                break;
            case Decimal64 number:
                Write(writer, DecimalValues.Read(number));
                break;
            case Decimal128 number:
                Write(writer, DecimalValues.Read(number));
                break;
            case byte[] bytes:
                writer.WriteBase64StringValue(bytes);
                break;
            case AmqpTimestamp time:
                writer.WriteStringValue(time.ToDateTimeOffset());
                break;
            case AmqpMap map:
                writer.WriteStartObject();
                foreach (var (name, item) in map)
                {
                    writer.WritePropertyName(PropertyValues.Key(name));
                    Write(writer, item);
                }

                writer.WriteEndObject();
                break;
            case string text:
                writer.WriteStringValue(text);
                break;
            case UByteArray or NullArray or NestedArray:
                Write(writer, PropertyValues.Value(value));
                break;
            case System.Collections.IEnumerable list:
                writer.WriteStartArray();
                foreach (var item in list)
                    Write(writer, item);
                writer.WriteEndArray();
                break;
            case Described { Value: var inner }:
                Write(writer, inner);
                break;
            default:
                writer.WriteStringValue($"{value}");
                break;
        }
    }
}
