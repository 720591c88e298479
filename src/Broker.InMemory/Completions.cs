namespace Holdfast.Broker.InMemory;

/// <summary>
/// The waits that this thread has ended. Whoever waited goes on here, on this thread, once it has left every lock,
/// one after the other: a continuation that ends further waits does not nest, so the stack stays flat.
/// </summary>
internal static class Completions
{
    [ThreadStatic]
    private static Queue<Wait>? t_ended;

    [ThreadStatic]
    private static int t_depth;

    public static void Enter() => t_depth++;

    public static void Add(Wait ended) => (t_ended ??= new()).Enqueue(ended);

    public static void Exit()
    {
        try
        {
            while (t_depth == 1 && t_ended is { Count: > 0 } ended)
                ended.Dequeue().Complete();
        }
        finally
        {
            t_depth--;
        }
    }
}
