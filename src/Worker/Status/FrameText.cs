using System.Buffers;
using System.Text;
using System.Text.Json;
using System.Text.Json.Serialization;
using Holdfast.Consumer;

namespace Holdfast.Worker.Status;

/// <summary>Writes server-sent events: a name, and a line of JSON. Leases and points are arrays without names, for they are many.</summary>
internal static class FrameText
{
    public static readonly JsonSerializerOptions Json = new(JsonSerializerDefaults.Web)
    {
        Converters = { new SecondsConverter(), new JsonStringEnumConverter() },
    };

    /// <summary>What leads from the picture that was shown before to this one; and, once a second, how all else stands.</summary>
    public static byte[] Change(Picture picture, Picture? before, HistoryPoint[]? second) =>
        Event("change", picture.Leases, json =>
        {
            Write(json, LeaseChanges.Between(before?.Leases.Leases ?? [], picture.Leases.Leases));
            if (!picture.Misses.SequenceEqual(before?.Misses ?? []))
                Write(json, picture.Misses);
            if (second is not null)
                Write(json, picture, second);
        });

    /// <summary>All there is to know, for a page that knows nothing.</summary>
    public static byte[] Whole(Picture picture, HistoryPoint[] history, WorkerFacts worker) =>
        Event("whole", picture.Leases, json =>
        {
            Write(json, LeaseChanges.Between([], picture.Leases.Leases));
            Write(json, picture.Misses);
            Write(json, picture, history);
            Write(json, "worker", worker);
        });

    private static byte[] Event(string name, LeaseSnapshot leases, Action<Utf8JsonWriter> fill)
    {
        var bytes = new ArrayBufferWriter<byte>(1024);
        bytes.Write(Encoding.UTF8.GetBytes($"event: {name}\ndata: "));
        using (var json = new Utf8JsonWriter(bytes))
        {
            json.WriteStartObject();
            json.WriteNumber("at", Milliseconds(leases.At));
            json.WriteNumber("inHand", leases.InHand);
            json.WriteNumber("inDanger", leases.InDanger);
            json.WriteNumber("lost", leases.Lost);
            Write(json, "leastTrust", leases.LeastTrust);
            fill(json);
            json.WriteEndObject();
        }

        bytes.Write("\n\n"u8);
        return bytes.WrittenSpan.ToArray();
    }

    private static void Write(Utf8JsonWriter json, Picture picture, HistoryPoint[] points)
    {
        json.WriteNumber("date", picture.Date.ToUnixTimeMilliseconds());
        Write(json, "engine", Bounded.Texts(picture.Status));
        json.WriteStartArray("points");
        foreach (var point in points)
        {
            json.WriteStartArray();
            json.WriteNumberValue(point.At);
            json.WriteNumberValue(point.Received);
            json.WriteNumberValue(point.Settled);
            JsonSerializer.Serialize(json, point.LeastTrust, Json);
            json.WriteNumberValue(point.InHand);
            json.WriteEndArray();
        }

        json.WriteEndArray();
    }

    private static void Write(Utf8JsonWriter json, IReadOnlyList<LeaseMiss> misses) => Write(json, "misses", Bounded.Texts(misses));

    private static void Write(Utf8JsonWriter json, LeaseChanges leases)
    {
        json.WriteStartArray("come");
        foreach (var lease in leases.Come)
        {
            Begin(json, lease);
            json.WriteStringValue(Bounded.Id(lease.MessageId));
            json.WriteStringValue(lease.Queue);
            json.WriteNumberValue(lease.Priority);
            json.WriteNumberValue(lease.DeliveryCount);
            json.WriteNumberValue(Milliseconds(lease.Since));
            json.WriteNumberValue(Milliseconds(lease.LockDuration));
            json.WriteEndArray();
        }

        json.WriteEndArray();
        json.WriteStartArray("changed");
        foreach (var lease in leases.Changed)
        {
            Begin(json, lease);
            json.WriteEndArray();
        }

        json.WriteEndArray();
        Write(json, "gone", leases.Gone);
    }

    // What may change while it is held stands first in either array.
    private static void Begin(Utf8JsonWriter json, HeldLease lease)
    {
        json.WriteStartArray();
        json.WriteNumberValue(lease.Number);
        json.WriteNumberValue(Milliseconds(lease.TrustedUntil));
        json.WriteNumberValue(lease.Attempt);
        json.WriteNumberValue((int)lease.State);
        json.WriteNumberValue((int)lease.Danger);
    }

    private static void Write<T>(Utf8JsonWriter json, string name, T value)
    {
        json.WritePropertyName(name);
        JsonSerializer.Serialize(json, value, Json);
    }

    private static long Milliseconds(TimeSpan time) => (long)time.TotalMilliseconds;
}
