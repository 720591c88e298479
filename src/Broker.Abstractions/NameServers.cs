using System.Net.Sockets;

namespace Holdfast.Broker;

/// <summary>What a socket's problem says of the name servers that were asked where a host is.</summary>
internal static class NameServers
{
    public const string Cure = "the name servers that this machine asks";

    /// <summary>Whether none of them could say it.</summary>
    public static bool AreMeant(SocketException problem) => problem.SocketErrorCode is SocketError.HostNotFound or SocketError.TryAgain or SocketError.NoData;

    /// <summary>In our words where the system's do not tell it: it has the same ones for whatever else may be tried again. Null elsewhere.</summary>
    public static string? Silence(SocketException problem) => problem.SocketErrorCode == SocketError.TryAgain ? "no name server answers" : null;
}
