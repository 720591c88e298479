namespace Holdfast.Worker.Exec;

/// <summary>Runs what has many small steps and little to compute on the pool: the lane goes on with its end alone.</summary>
internal static class OffLane
{
    public static Task<T> RunAsync<T>(Func<Task<T>> work) =>
        Task.Factory.StartNew(work, CancellationToken.None, TaskCreationOptions.DenyChildAttach, TaskScheduler.Default).Unwrap();
}
