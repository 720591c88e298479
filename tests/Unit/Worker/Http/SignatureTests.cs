using System.Text;
using Holdfast.Worker.Http;

namespace Holdfast.Tests.Unit.Worker.Http;

public sealed class SignatureTests
{
    private const string First = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    private const string Second = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";

    // By OpenSSL: printf 'msg_17.1614265330.{"test": 2432232314}' | openssl dgst -sha256 -mac HMAC -macopt hexkey:...
    private const string BySecond = "v1,DSR3JbsG+lQqSeWQ4pH8mexQdWZLqmCdCMi/nCtH1ac=";
    private const string ByFirst = "v1,i4QvBTIN1T6y5Pwnans/YE7nAKiwR1XV7MpitzqRZsU=";

    private static readonly byte[] s_body = Encoding.UTF8.GetBytes("""{"test": 2432232314}""");

    [Fact]
    public void It_is_what_others_make_of_id_time_and_body() => Assert.Equal(ByFirst, Sign(First));

    [Fact]
    public void While_keys_change_either_of_them_verifies() => Assert.Equal($"{BySecond} {ByFirst}", Sign($"{Second} {First}"));

    [Theory]
    [InlineData("secret")]
    [InlineData("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")]
    [InlineData("whsec_tooshort")]
    [InlineData("whsec_not base64")]
    public void What_is_no_key_is_told_without_showing_it(string text)
    {
        var problem = Assert.Throws<FormatException>(() => Signature.Parse(text));

        Assert.StartsWith("It is no signing key; set whsec_", problem.Message);
        Assert.DoesNotContain(text, problem.Message);
    }

    private static string Sign(string keys) => Signature.Parse(keys).Of("msg_17", "1614265330", s_body);
}
