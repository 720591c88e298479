using Microsoft.Extensions.Hosting;

namespace Holdfast.Samples.Library;

/// <summary>Counts what was paid, each order once, and closes when all is there. A store that refuses whoever is not the last to hold a message.</summary>
internal sealed class Till(IHostApplicationLifetime lifetime)
{
    private readonly Lock _gate = new();
    private readonly Dictionary<int, (decimal Amount, long Token)> _paid = [];

    public void Collect(int order, decimal amount, long token)
    {
        lock (_gate)
        {
            if (_paid.TryGetValue(order, out var before) && before.Token > token)
                throw new InvalidOperationException($"Somebody else holds order {order} now.");

            _paid[order] = (amount, token);
            if (_paid.Count < Customers.Orders)
                return;

            Console.WriteLine($"All {_paid.Count} orders are paid: {_paid.Values.Sum(paid => paid.Amount)}");
            lifetime.StopApplication();
        }
    }
}
