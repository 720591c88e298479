using Holdfast.Worker.Otlp;
using Holdfast.Worker.Settings;

namespace Holdfast.Worker.Exec;

/// <summary>Which environment variables are the worker's own, secrets among them, and no business of a command's.</summary>
internal static class OwnVariables
{
    // .NET takes settings from names that begin so, too.
    private const string HostPrefix = "DOTNET_";

    // Azure App Service has a copy of each setting under a name that begins so.
    private const string CopyPrefix = "APPSETTING_";

    // What .NET's server reads by itself, the passwords of its certificates among it.
    private const string Server = "Kestrel";

    // .NET reads MYSQLCONNSTR_x, CUSTOMCONNSTR_x and their like as ConnectionStrings__x.
    private const string ConnectionString = "CONNSTR_";

    private static readonly string[] s_prefixes = [SettingSources.Prefix, OtelSettings.Prefix, "AZURE_", "IDENTITY_", "MSI_", "HOLDFAST_"];

    public static bool Contain(string name) => ContainOriginal(Begins(name, CopyPrefix) ? name[CopyPrefix.Length..] : name);

    private static bool ContainOriginal(string name) =>
        Array.Exists(s_prefixes, prefix => Begins(name, prefix))
        || name.Contains(ConnectionString, StringComparison.OrdinalIgnoreCase)
        || IsSetting(Begins(name, HostPrefix) ? name[HostPrefix.Length..] : name);

    private static bool IsSetting(string name) =>
        WorkerSettings.Sections.Append(Server).Any(section => Begins(name, section + "__") || Begins(name, section + ":"));

    private static bool Begins(string name, string prefix) => name.StartsWith(prefix, StringComparison.OrdinalIgnoreCase);
}
