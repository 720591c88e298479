using Holdfast.Consumer;
using Holdfast.Idempotency.Sqlite;
using Holdfast.Worker.Settings;
using Microsoft.Data.Sqlite;

namespace Holdfast.Worker.Hosting;

/// <summary>The store that remembers completed messages, where one is asked for.</summary>
internal static class Idempotency
{
    public static void UseIdempotency(this HoldfastBuilder holdfast, IdempotencyOptions options)
    {
        if (options.Path is { } path)
            holdfast.UseIdempotency(services => Open(path, options, services.GetRequiredService<TimeProvider>()));
    }

    private static SqliteIdempotencyStore Open(string path, IdempotencyOptions options, TimeProvider time)
    {
        try
        {
            return new(new() { Path = path, KeepFor = options.KeepFor, KeepMost = options.KeepMost, TimeProvider = time });
        }
        catch (SqliteException problem)
        {
            throw new InvalidOptionsException([new("Idempotency__Path", $"{path} can't be opened ({problem.Message}); set a file of its own, in a folder that is there and may be written to.")]);
        }
    }
}
