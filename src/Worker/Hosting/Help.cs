namespace Holdfast.Worker.Hosting;

/// <summary>What <c>--help</c> says.</summary>
internal static class Help
{
    public const string Text =
        """
        Holdfast: a message worker that holds its leases under any load.

        Commands (each answers --help)
          run                   run the worker, as without any command
          send [FILE]           send messages: a file, its lines, a text, standard input
          peek                  look at the first messages of a queue
          dead list             show a queue's dead letters, a line each
          dead show ID          show one with all that it tells
          dead replay           send dead letters again
          dead purge            remove dead letters for good
          check                 say what will go wrong: settings, permissions, queues, clock
          health                ask the worker in this container whether it is ready

        Settings come from the environment (Worker__Queue=orders) or appsettings.json ({ "Worker": { "Queue": "orders" } }).
        Durations look like 500ms, 20s, 5m or 00:00:20.

        What is worked on
          Worker__Broker                   InMemory, RabbitMq or ServiceBus       (InMemory)
          Worker__Queue                    a queue, or topic/Subscriptions/name   (orders)
          Worker__Handler                  Demo, Http or Exec                     (Demo)
                                           to be set where a real broker is
          Worker__Logs                     Lines for people, or Json              (Lines)

        Several queues
          Worker__Queues__NAME__Queue      each by a name: its queue, its handler and all of its own;
          Worker__Queues__NAME__...        what is not set there, is set by Worker__... for all of them

        How much at once
          Worker__MaxConcurrency           most messages held at once             (256)
          Worker__Admission                Adaptive or Fixed                      (Adaptive)
          Worker__MaxBytesInFlight         most bytes held, where there is room   (268435456)
          Worker__OrderBy                  session, or a property: one at a time  (none)
          Worker__PriorityFrom             property that holds the priority       (none)
          Worker__Threads                  threads that run handlers              (the CPU quota, rounded down)
          Worker__SingleThread             one thread for everything              (false)
          Worker__MaxSpareThreads          threads that stand in for blocked ones (256, or 8 times Threads)
          Worker__Niceness                 how nice handlers' threads are, 0-19   (0)
          Worker__LongTurn                 a turn this long is reported           (5s)
          Worker__TurnOrder                StartedFirst, or RoundRobin: in turns  (StartedFirst)
          Worker__Ageing                   longest wait of a low priority         (10s)
          Worker__DrainTimeout             time for handlers to end on a stop     (20s)

        Leases
          Worker__Lease__MinMargin         least time kept to the lock's end      (250ms)
          Worker__Lease__MaxMargin         most that the margin grows to          (5s)
          Worker__Lease__RenewAfter        part of the lock after which to renew  (0.5)
          Worker__Lease__AtLimit           Abandon, Delay or DeadLetter at limit  (Abandon)

        Handlers that fail
          Worker__Retry__Immediate         tries more of a delivery, at once      (2)
          Worker__Retry__ImmediateDelay    wait before the first of them          (100ms)
          Worker__Retry__AttemptTimeout    longest that one try may take          (none)
          Worker__Retry__MaxDeliveries     the last delivery; then dead letter    (10)
          Worker__Retry__Delay             wait before the second delivery        (5s)
          Worker__Retry__MaxDelay          longest wait before a delivery         (10m)
          Worker__Breaker__FailureRatio    failing part that pauses; 0 is never   (0)
          Worker__Breaker__MinimumHandled  messages before that part counts       (20)
          Worker__Breaker__Window          how far back they count                (30s)
          Worker__Breaker__Pause           first pause; doubles while tries fail  (10s)
          Worker__Breaker__MaxPause        longest pause                          (5m)
          Worker__RateLimit__PerSecond     most begun in a second; 0 is no limit  (0)
          Worker__RateLimit__Burst         most begun at once                     (none)

        Messages completed, but not settled before a crash
          Worker__Idempotency__Path        a file that remembers them             (none)
          Worker__Idempotency__KeepFor     how long                               (1d)
          Worker__Idempotency__KeepMost    how many at most                       (1000000)

        The demo
          Worker__Demo__Turns              turns for each message                 (5)
          Worker__Demo__CpuMilliseconds    CPU that each turn burns               (20)
          Worker__Demo__IoMilliseconds     wait after each turn                   (200)
          Worker__Demo__Blocking           block the thread, burn no CPU          (false)
          Worker__Demo__Produce            messages sent a second; 0 sends none   (5)

        The Http handler
          Worker__Http__Url                where messages are posted to           (none)
          Worker__Http__Timeout            longest wait for an answer             (1m)
          Worker__Http__Http2              HTTP/2; over http:// without asking    (false)
          Worker__Http__SigningKey         whsec_ and base64; several: by spaces  (none)
          Worker__Http__Authorization      that header, such as Bearer TOKEN      (none)
          Worker__Http__CaFile             authorities to trust, PEM              (none)

        A command for each message, or for many
          Worker__Exec__Command            the program                            (none)
          Worker__Exec__Arguments          its arguments in a line, quoted        (none)
          Worker__Exec__WorkingDirectory   where it is to work                    (none)
          Worker__Exec__Mode               Once a message, or Lines of JSON       (Once)
          Worker__Exec__Processes          most processes at once                 (4)
          Worker__Exec__Timeout            longest time for a message             (none)
          Worker__Exec__Grace              time to end after a SIGTERM            (500ms)
          Worker__Exec__Delay              wait after exit code 75                (30s)
          Worker__Exec__LogLines           most lines logged of each output       (100)

        The embedded broker
          Worker__InMemory__LockDuration   how long a lock lasts                  (30s)
          Worker__InMemory__MaxDeliveries  deliveries until the dead letter       (10)

        RabbitMQ
          ConnectionStrings__RabbitMq      amqp://user:password@host:5672/vhost, or amqps://...; several hosts: one,two:5673
          Worker__RabbitMq__Heartbeat      proof of life; a lease lasts twice it  (10s)
          Worker__RabbitMq__Declare        declare queues that are missing        (false)
          Worker__RabbitMq__QueueType      Quorum or Classic                      (Quorum)
          Worker__RabbitMq__MaxPriority    highest in a queue that is declared    (0)
          Worker__RabbitMq__ConsumerTimeout        the server's consumer_timeout  (30m)
          Worker__RabbitMq__ManagementUri          where a queue's own is read    (none)
          Worker__RabbitMq__DelayedRetry           WaitQueues or Native           (WaitQueues)
          Worker__RabbitMq__CaFile                 authorities to trust, PEM      (none)
          Worker__RabbitMq__ClientCertificateFile  certificate to show, PEM       (none)
          Worker__RabbitMq__ClientKeyFile          its key, PEM                   (none)

        Azure Service Bus
          ConnectionStrings__ServiceBus    Endpoint=sb://name.servicebus.windows.net/;SharedAccessKeyName=...;SharedAccessKey=...
          ServiceBus__FullyQualifiedNamespace      name.servicebus.windows.net, in its place: an Azure identity says who we are
          Worker__ServiceBus__Transport            Tcp or WebSockets (port 443)   (Tcp)
          Worker__ServiceBus__Sessions             whether required               (found out)
          Worker__ServiceBus__SessionId            the one session to take        (none)
          Worker__ServiceBus__MaxSessions          most sessions held at once     (8)
          Worker__ServiceBus__SessionIdleTime      without messages, then another (5s)
          Worker__ServiceBus__OperationTimeout     longest wait for an answer     (30s)
          Worker__ServiceBus__CaFile               authorities to trust, PEM      (none)

        The management port
          ASPNETCORE_HTTP_PORTS            status page, /metrics, /health/...     (8080)
          ASPNETCORE_URLS                  its addresses, in place of the port, such as http://127.0.0.1:8080
          Worker__StatusPage               the page with leases, at /             (true)

        Traces and metrics for a collector
          OTEL_EXPORTER_OTLP_ENDPOINT      where they are sent, such as http://localhost:4317; unset, they are not
          OTEL_EXPORTER_OTLP_PROTOCOL      grpc or http/protobuf                  (grpc)
          OTEL_TRACES_SAMPLER, _ARG        parentbased_traceidratio and 0.01 record one in a hundred

        Exit codes: 0 stopped or done, 1 failed, 2 a command line that can't be followed, 78 a setting that can't be.

        """;
}
