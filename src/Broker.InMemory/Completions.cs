namespace Holdfast.Broker.InMemory;

/// <summary>
/// The waits that this thread has ended. Whoever waited goes on here, on this thread, once it has left every lock,
/// one after the other: a continuation that ends further waits does not nest, so the stack stays flat.
/// </summary>
internal static class Completions
{
    [ThreadStatic]
    private static Queue<Wait>? s_ended;

    [ThreadStatic]
    private static int s_depth;

    public static void Enter() => s_depth++;

    public static void Add(Wait ended) => (s_ended ??= new()).Enqueue(ended);

    public static void Exit()
    {
        try
        {
            while (s_depth == 1 && s_ended is { Count: > 0 } ended)
                ended.Dequeue().Complete();
        }
        finally
        {
            s_depth--;
        }
    }
}
