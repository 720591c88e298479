using System.Diagnostics;

namespace Holdfast.Tests.Servers;

/// <summary>One run of a private server, under a keeper that ends all of it when it is told to, or when this process is gone.</summary>
internal sealed class RabbitProcess : IDisposable
{
    // The pipe to the keeper closes with this process, however that ends. Server and keeper have sessions of their own:
    // neither a key typed at the tests' terminal nor the end of the server's process group may take the keeper away.
    // The server is a child of the script that starts it, and writes into its folder until it is gone itself; but one that nobody
    // reaps is not waited for without end.
    private const string Keeper = """
        exec 3<&0 </dev/null >>"$FOLDER/startup.log" 2>&1
        setsid sh -c "$NODE" 3<&- &
        node=$!
        {
            while read -r order; do
                case $order in
                    stop) kill -s TERM "$node" ;;
                    kill) kill -s KILL -- "-$node" ;;
                esac
            done
            touch "$FOLDER/abandoned"
            kill -s KILL -- "-$node"
        } <&3 &
        watch=$!
        exec 3<&-
        wait "$node"
        kill -s KILL "$watch"
        tries=200
        while kill -s KILL -- "-$node" && [ "$tries" -gt 0 ]; do
            tries=$((tries - 1))
            sleep 0.05
        done
        if [ -e "$FOLDER/abandoned" ]; then rm -rf "$FOLDER"; fi
        """;

    // Left to itself, the server would start a port mapper that outlives it.
    private const string Node = """
        epmd &
        until epmd -names >/dev/null; do
            kill -0 $! || exit 1
            sleep 0.05
        done
        exec "$SERVER"
        """;

    private readonly Process _keeper;

    private RabbitProcess(Process keeper) => _keeper = keeper;

    public bool HasEnded => _keeper.HasExited;

    public static RabbitProcess Start(RabbitFolder folder, RabbitCommands commands)
    {
        var start = commands.Command("setsid", "sh", "-c", Keeper);
        start.RedirectStandardInput = true;
        start.Environment["FOLDER"] = folder.Path;
        start.Environment["NODE"] = Node;
        start.Environment["SERVER"] = RabbitCommands.Script("rabbitmq-server");
        return new RabbitProcess(Process.Start(start)!);
    }

    public Task StopAsync() => OrderAsync("stop");

    public Task KillAsync() => OrderAsync("kill");

    public void Dispose() => _keeper.Dispose();

    private async Task OrderAsync(string order)
    {
        try
        {
            await _keeper.StandardInput.WriteLineAsync(order);
            await _keeper.StandardInput.FlushAsync();
        }
        catch (IOException)
        {
            // The server has ended by itself, and the keeper with it.
        }

        await _keeper.WaitForExitAsync();
    }
}
