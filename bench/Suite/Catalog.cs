namespace Holdfast.Bench;

/// <summary>All cases, in the order in which they are run.</summary>
internal static class Catalog
{
    public static Case[] All { get; } =
    [
        DispatchCase.Case,
        WakeCase.Case,
        LatenessCase.Case,
        KeeperCase.Case,
        ForegroundCase.Case,
        ChainCase.Case,
        EngineCase.Case,
    ];

    public static Case? Find(string name) => Array.Find(All, one => one.Name == name);
}
