using Holdfast.Broker;
using Holdfast.Consumer;
using Holdfast.Worker.Http;

namespace Holdfast.Worker.Settings;

/// <summary>What must hold of the settings of the Http handler, where that is the handler.</summary>
internal static class HttpRules
{
    private static readonly TimeSpan s_longest = TimeSpan.FromDays(1);

    public static IEnumerable<OptionError> Broken(HttpOptions options) =>
        Rules.Read("Http__Url", options.Url ?? "", EndpointUrl.Parse)
            .Concat(Rules.Must(options.Timeout > TimeSpan.Zero && options.Timeout <= s_longest, "Http__Timeout", options.Timeout, "out of range; set more than 0s, and at most 24h"))
            .Concat(Rules.Read("Http__SigningKey", options.SigningKey, Signature.Parse))
            .Concat(Rules.Read("Http__Authorization", options.Authorization, HeaderText.Check))
            .Concat(Rules.Read("Http__CaFile", options.CaFile, Authorities.Read));
}
