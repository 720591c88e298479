namespace Holdfast.Lab.Syncio;

/// <summary>So many clients, each of which asks the pool for its next handler as soon as the one before has ended.</summary>
internal static class PoolClients
{
    public static SyncioFinding Watch(SyncioQuestion question)
    {
        if (question.Runner == Runner.WidePool)
            Widen();

        var handled = new Handled();
        for (var i = 0; i < question.AtOnce; i++)
        {
            if (question.IsBlocking)
                Block(question.Wait, handled);
            else
                _ = Task.Run(() => AwaitAsync(question.Wait, handled));
        }

        // On the main thread, which is not the pool's.
        Thread.Sleep(question.Window);
        return handled.Describe(null);
    }

    private static void Widen()
    {
        ThreadPool.SetMinThreads(SyncioQuestion.WideThreads, SyncioQuestion.WideThreads);
        ThreadPool.SetMaxThreads(SyncioQuestion.WideThreads, SyncioQuestion.WideThreads);
    }

    private static void Block(TimeSpan wait, Handled handled) => ThreadPool.UnsafeQueueUserWorkItem(
        _ =>
        {
            Thread.Sleep(wait);
            handled.Note();
            Block(wait, handled);
        },
        null);

    private static async Task AwaitAsync(TimeSpan wait, Handled handled)
    {
        while (true)
        {
            await Task.Delay(wait);
            handled.Note();
        }
    }
}
