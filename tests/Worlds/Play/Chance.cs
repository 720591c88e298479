namespace Holdfast.Tests.Worlds;

/// <summary>What happens by chance to one request among others.</summary>
internal static class Chance
{
    public static bool Happens(this Random random, int thousandths) => thousandths > 0 && random.Next(1000) < thousandths;
}
