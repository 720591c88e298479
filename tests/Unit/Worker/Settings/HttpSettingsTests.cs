using Holdfast.Worker.Status;
using static Holdfast.Tests.Unit.Worker.Settings.Reading;

namespace Holdfast.Tests.Unit.Worker.Settings;

public sealed class HttpSettingsTests
{
    private const string Key = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    private static readonly string[] s_http = ["Worker__Handler=Http", "Worker__Http__Url=https://shop/orders"];

    [Fact]
    public void All_that_is_set_reaches_its_place()
    {
        var http = Read([.. s_http, "Worker__Http__Timeout=5s", "Worker__Http__Http2=true", $"Worker__Http__SigningKey={Key} {Key}", "Worker__Http__Authorization=Bearer abc"]).Queues[0].Handling.Http;

        Assert.Equal(("https://shop/orders", TimeSpan.FromSeconds(5), true), (http.Url, http.Timeout, http.Http2));
        Assert.Equal(($"{Key} {Key}", "Bearer abc"), (http.SigningKey, http.Authorization));
    }

    [Theory]
    [InlineData("Worker__Http__Url=", "Worker__Http__Url: It is not set; set one such as http://localhost:3000/orders.")]
    [InlineData("Worker__Http__Url=shop", "Worker__Http__Url: It is no http:// or https:// address; set one such as http://localhost:3000/orders.")]
    [InlineData("Worker__Http__Url=ftp://shop/", "Worker__Http__Url: It is no http:// or https:// address; set one such as http://localhost:3000/orders.")]
    [InlineData("Worker__Http__Url=http://me:s3cr3t@shop/", "Worker__Http__Url: It holds a user or a password; set Worker__Http__Authorization in their place.")]
    [InlineData("Worker__Http__Timeout=0s", "Worker__Http__Timeout: 0s is out of range; set more than 0s, and at most 24h.")]
    [InlineData("Worker__Http__Timeout=25h", "Worker__Http__Timeout: 90000s is out of range; set more than 0s, and at most 24h.")]
    [InlineData("Worker__Http__SigningKey=s3cr3t", "Worker__Http__SigningKey: It is no signing key; set whsec_ and behind it 24 to 64 random bytes in base64, or several such keys with spaces between them.")]
    [InlineData("Worker__Http__SigningKey=", "Worker__Http__SigningKey: It is empty; set it, or leave it out.")]
    [InlineData("Worker__Http__Authorization= ", "Worker__Http__Authorization: It is empty; set it, or leave it out.")]
    [InlineData("Worker__Http__Authorization=Bearer s3cr3t\nX: y", "Worker__Http__Authorization: It holds what a header can't; set one line of ASCII, such as Bearer and a token.")]
    [InlineData("Worker__Http__CaFile=none.pem", "Worker__Http__CaFile: none.pem can't be read as certificates; set a file with the authorities to trust (PEM).")]
    [InlineData("Worker__Http__CaFile=Holdfast.Worker.dll", "Worker__Http__CaFile: Holdfast.Worker.dll holds no certificate; set a file with the authorities to trust (PEM).")]
    public void What_can_not_be_is_told_in_a_line_without_a_secret(string set, string line) => Assert.Equal([line], Mistakes([.. s_http, set]));

    [Fact]
    public void Another_handler_s_settings_need_not_be_right() => Read("Worker__Http__Url=shop", "Worker__Http__Timeout=0s");

    [Fact]
    public void Those_of_a_handler_that_is_not_used_are_not_shown()
    {
        Assert.Contains(EffectiveSettings.Of(Read(s_http)), setting => setting.Name.StartsWith("Worker__Http__", StringComparison.Ordinal));
        Assert.DoesNotContain(EffectiveSettings.Of(Read(s_http)), setting => setting.Name.StartsWith("Worker__Demo__", StringComparison.Ordinal));
        Assert.DoesNotContain(EffectiveSettings.Of(Read()), setting => setting.Name.StartsWith("Worker__Http__", StringComparison.Ordinal));
    }
}
