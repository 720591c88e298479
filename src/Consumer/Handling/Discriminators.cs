using System.Runtime.CompilerServices;
using System.Text.Json.Serialization.Metadata;

namespace Holdfast.Consumer;

/// <summary>Finds out whether a body left open which of several types it is, or something in it, where it must say so.</summary>
internal static class Discriminators
{
    private static readonly ConditionalWeakTable<JsonTypeInfo, HashSet<string>> s_known = [];

    /// <summary>Whether .NET refused it for that. What no body could fill is refused by the same exception, and its text names in quotes, first of all, what it is about.</summary>
    public static bool AreMissing(NotSupportedException refusal, JsonTypeInfo type) =>
        refusal.Message.Split('\'', 3) is [_, var named, _] && s_known.GetValue(type, DiscriminatedWithin).Contains(named);

    private static HashSet<string> DiscriminatedWithin(JsonTypeInfo root)
    {
        HashSet<string> discriminated = [];
        HashSet<Type> seen = [root.Type];
        Queue<JsonTypeInfo> next = new([root]);
        while (next.TryDequeue(out var type))
        {
            if (type.PolymorphismOptions is not null)
                discriminated.Add($"{type.Type}");
            foreach (var member in Members(type))
            {
                if (seen.Add(member) && root.Options.TryGetTypeInfo(member, out var its))
                    next.Enqueue(its);
            }
        }

        return discriminated;
    }

    private static IEnumerable<Type> Members(JsonTypeInfo type) =>
        type.Properties.Select(property => property.PropertyType)
            .Concat(type.PolymorphismOptions?.DerivedTypes.Select(derived => derived.DerivedType) ?? [])
            .Concat(new[] { type.ElementType, type.KeyType, Nullable.GetUnderlyingType(type.Type) }.OfType<Type>());
}
