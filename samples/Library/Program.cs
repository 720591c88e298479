using Holdfast.Broker.InMemory;
using Holdfast.Consumer;
using Holdfast.Idempotency.Sqlite;
using Holdfast.Samples.Library;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

var builder = Host.CreateApplicationBuilder(args);
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.Services.AddScoped<Journal>();
builder.Services.AddSingleton<Till>();
builder.Services.AddHostedService<Customers>();

var holdfast = builder.Services.AddHoldfast(options => options.DrainTimeout = TimeSpan.FromSeconds(10))
    .UseBroker(_ => new InMemoryBroker())
    .Use(Timing.Middleware)
    .Handle<OrderHandler, Order>("orders", Json.Default.Order, queue => queue.MaxConcurrency = 8)
    .Handle<InvoiceHandler, Invoice>("invoices", Json.Default.Invoice, queue =>
    {
        queue.MaxConcurrency = 2;
        queue.Retry.Immediate = 5;
    });

// With a broker that outlives the process, a file remembers what was completed, but not settled before a crash.
if (args is [var file])
    holdfast.UseIdempotency(_ => new SqliteIdempotencyStore(new() { Path = file }));

await builder.Build().RunAsync();
