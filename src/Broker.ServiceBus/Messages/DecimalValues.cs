using System.Globalization;
using Holdfast.Amqp;

namespace Holdfast.Broker.ServiceBus;

/// <summary>
/// The decimal numbers of AMQP, which are those of IEEE 754 in binary: a sign, an exponent of ten with a bias, and a whole number. Where .NET's own has no room
/// for one, it is a text.
/// </summary>
internal static class DecimalValues
{
    private const int MostDigits = 28;

    // What Microsoft's .NET client writes in place of the bias: by a slip it leaves out two bits of the exponent, and reads them back as if they were there.
    private const int BiasOfMicrosoft = 1568;

    private static readonly Layout s_32 = new(Width: 32, ExponentBits: 8, Bias: 101, Digits: 7);
    private static readonly Layout s_64 = new(Width: 64, ExponentBits: 10, Bias: 398, Digits: 16);
    private static readonly Layout s_128 = new(Width: 128, ExponentBits: 14, Bias: 6176, Digits: 34);

    public static object Read(Decimal32 number) => Read(number.Bits, s_32);

    public static object Read(Decimal64 number) => Read(number.Bits, s_64);

    public static object Read(Decimal128 number) => Read(number.Bits, s_128);

    private static object Read(UInt128 bits, in Layout layout)
    {
        var isNegative = bits >> (layout.Width - 1) != 0;
        var head = (int)(bits >> (layout.Width - 6)) & 0b11111;
        if (head >> 1 == 0b1111)
            return head == 0b11111 ? "NaN" : isNegative ? "-Infinity" : "Infinity";

        // Large whole numbers begin with 100, which is left out, and the exponent stands two bits further back.
        var isLarge = head >> 3 == 0b11;
        var wholeBits = layout.Width - 1 - layout.ExponentBits - (isLarge ? 2 : 0);
        var whole = (bits & ((UInt128.One << wholeBits) - 1)) | (isLarge ? (UInt128)0b100 << wholeBits : 0);
        var exponent = (int)(bits >> wholeBits) & ((1 << layout.ExponentBits) - 1);
        if (whole >= Power(layout.Digits))
            whole = 0;
        return Number(isNegative, whole, layout.Width == 128 && exponent is > BiasOfMicrosoft - MostDigits - 1 and <= BiasOfMicrosoft ? exponent - BiasOfMicrosoft : exponent - layout.Bias);
    }

    private static object Number(bool isNegative, UInt128 whole, int exponent)
    {
        if (whole == 0)
            return new decimal(0, 0, 0, isNegative, (byte)Math.Clamp(-exponent, 0, MostDigits));

        var (fitting, power) = (whole, exponent);
        for (; power > 0 && fitting < Power(MostDigits); power--)
            fitting *= 10;
        for (; (power < -MostDigits || !Fits(fitting)) && fitting % 10 == 0; power++)
            fitting /= 10;
        return power is <= 0 and >= -MostDigits && Fits(fitting)
            ? new decimal((int)(uint)fitting, (int)(uint)(fitting >> 32), (int)(uint)(fitting >> 64), isNegative, (byte)-power)
            : string.Create(CultureInfo.InvariantCulture, $"{(isNegative ? "-" : "")}{whole}E{exponent:+0;-0}");
    }

    private static bool Fits(UInt128 whole) => whole >> 96 == 0;

    private static UInt128 Power(int digits)
    {
        UInt128 power = 1;
        for (; digits > 0; digits--)
            power *= 10;
        return power;
    }

    private readonly record struct Layout(int Width, int ExponentBits, int Bias, int Digits);
}
