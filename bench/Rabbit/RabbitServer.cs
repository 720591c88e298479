using Holdfast.Tests.Servers;

namespace Holdfast.Bench;

/// <summary>The RabbitMQ server of one call of the program: the one that the environment names, or a private one that is started when it is first needed.</summary>
internal sealed class RabbitServer : IAsyncDisposable
{
    private RabbitNode? _node;
    private string? _problem;

    /// <summary>Null once there is one; otherwise why there is none.</summary>
    public async Task<string?> TryStartAsync()
    {
        if (RabbitTarget.IsKnown || _problem is not null)
            return _problem;
        if (!RabbitNode.IsInstalled)
            return _problem = RabbitNode.HowToInstall;

        try
        {
            _node = new RabbitNode();
            await _node.StartAsync();
            RabbitTarget.Set(_node.UriOf(), _node.ManagementUri);
        }
        catch (InvalidOperationException problem)
        {
            _problem = problem.Message;
        }

        return _problem;
    }

    public async ValueTask DisposeAsync()
    {
        if (_node is not null)
            await _node.DisposeAsync();
    }
}
