import { boardOf } from './board.mjs';
import { NEUTRAL, NONE, SOME, atLeast, heat, lines, number, states, upTo } from './panels.mjs';
import { buckets, inEachStep, max, ofBroker, ofQueue, ofRabbit, ofWorker, quantile, rate, recorded, sum } from './query.mjs';

/** What comes in, what becomes of it, and what holds it up. */
export const flow = () => boardOf({
  uid: 'holdfast-flow',
  title: 'Holdfast: Flow',
  description: 'What the workers take from the broker, what becomes of it, and what holds it up.',
  choices: [{ name: 'rabbitmq', label: 'RabbitMQ', query: 'label_values(rabbitmq_connections_opened_total, job)' }],
  rows: [
    { title: 'At a glance', panels: summary() },
    { title: 'Messages', panels: messages() },
    { title: 'Room', panels: room() },
    { title: 'Failures', panels: failures() },
    { title: 'The broker, as the workers see it', panels: connection() },
    { title: 'The broker, as RabbitMQ tells it (scrape its /metrics/per-object)', panels: rabbit() },
  ],
});

const SETTLED = 'holdfast_messages_settled_total';
const LATENCY = 'holdfast_message_latency_seconds';
const OPERATION = 'messaging_client_operation_duration_seconds';
const spread = (histogram) => [0.5, 0.95, 0.99].map((q) => ({
  expr: quantile(q, ['queue'], histogram, ofQueue),
  legend: `{{queue}} ${q === 0.5 ? 'median' : `${q * 100}th percentile`}`,
  exemplars: q === 0.99,
}));

const summary = () => [
  number({
    title: 'Settled',
    says: 'Messages settled each second, whatever their outcome. At 0 while messages wait, see whether the broker is connected and what admission waits for.',
    unit: 'cps', steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: `sum(${rate(ofQueue(SETTLED))})` }],
  }),
  number({
    title: 'In flight',
    says: 'Messages in hand right now. Near the limit for long: more workers, or more CPU for each.',
    unit: 'short', decimals: 0, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: `sum(${ofQueue('holdfast_slots_used')})` }],
  }),
  number({
    title: 'Slots in use',
    says: 'The part of the slots that is in use; 0 where there are none. Admission moves the limit to what the machine carries, so a full house is well as long as nothing waits longer and longer.',
    unit: 'percentunit', decimals: 0, max: 1, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: `sum(${ofQueue('holdfast_slots_used')}) / (sum(${ofQueue('holdfast_slots_limit')}) > 0) or sum(${ofQueue('holdfast_slots_used')}) * 0` }],
  }),
  number({
    title: 'Latency, 99th percentile',
    says: 'From enqueued to settled, over the time shown. If it grows while handlers are as fast as ever, messages wait: for room here, or at the broker. Empty until something is settled.',
    unit: 's', steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: `histogram_quantile(0.99, sum by (le) (rate(${ofQueue(`${LATENCY}_bucket`)}[$__range]))) >= 0` }],
  }),
  number({
    title: 'Dead letters',
    says: 'Messages put aside in the time shown. Each has its reason with it: read a few of them.',
    unit: 'short', decimals: 0, steps: upTo(0.5, 3), runbook: 'dead-letters',
    queries: [{ expr: `sum(increase(${ofQueue(SETTLED, 'outcome="dead_letter"')}[$__range]))` }],
  }),
  number({
    title: 'Connected',
    says: 'Workers that reach the broker of their queue, among all of them. Below 100 % some take nothing, and what they hold is at risk.',
    unit: 'percentunit', decimals: 0, max: 1, steps: atLeast(0.5, 1), runbook: 'broker-disconnected',
    queries: [{ expr: `avg(${ofQueue('holdfast_broker_connected')})` }],
  }),
];

const messages = () => [
  lines({
    title: 'Received and settled',
    says: 'What comes in and what goes out, each second. They should run together; what lies between them is in flight.',
    unit: 'cps', min: 0, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [
      { expr: sum('queue', rate(ofQueue('holdfast_messages_received_total'))), legend: '{{queue}} received' },
      { expr: sum('queue', rate(ofQueue(SETTLED))), legend: '{{queue}} settled' },
    ],
  }),
  lines({
    title: 'Settled by outcome',
    says: 'complete is well. delay: a handler failed, and the message comes again later. abandon: given back at once, as at a stop. dead_letter: put aside for good.',
    unit: 'cps', min: 0, stacked: true, steps: NEUTRAL, runbook: 'dead-letters',
    queries: [{ expr: sum('outcome', rate(ofQueue(SETTLED))), legend: '{{outcome}}' }],
  }),
  lines({
    title: 'Latency',
    says: "From enqueued, by the clock of the broker or the sender, to settled. What of it is not the handler's is waiting: at the broker, or in hand.",
    unit: 's', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: spread(LATENCY),
  }),
  lines({
    title: 'Wait',
    says: "The mean of what of the latency is not the handler's, all instances together. A line that goes up and up: more is sent than is carried, and its slope is the part that is left over. RabbitMQ's messages without a timestamp show only what they wait in hand.",
    unit: 's', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: max('queue', recorded('holdfast:message_wait_seconds:mean_rate5m')), legend: '{{queue}}' }],
  }),
  lines({
    title: 'Handler duration',
    says: 'How long handlers took, their immediate retries included. If it grows with load, they compete for the CPU; if it grows without, what they call is slow.',
    unit: 's', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: spread('holdfast_handler_duration_seconds'),
  }),
  heat({
    title: 'Latency, all messages',
    says: 'All messages by how long they took from enqueued to settled. Two bands are two kinds of message. Points are exemplars: they lead to the trace of one message.',
    unit: 's', steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: buckets(LATENCY, ofQueue), legend: '{{le}}', exemplars: true }],
  }),
  heat({
    title: 'Handler duration, all messages',
    says: 'All messages by how long their handler took. A band that drifts upwards is a handler that gets slower: follow an exemplar to see where its time goes.',
    unit: 's', steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: buckets('holdfast_handler_duration_seconds', ofQueue), legend: '{{le}}', exemplars: true }],
  }),
];

const room = () => [
  lines({
    title: 'Slots',
    says: 'Messages in hand, and how many may be at once. Admission raises the limit slowly and lowers it at once; if both lie flat at the top, Worker__MaxConcurrency is what limits.',
    unit: 'short', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [
      { expr: sum('queue', ofQueue('holdfast_slots_used')), legend: '{{queue}} used' },
      { expr: sum('queue', ofQueue('holdfast_slots_limit')), legend: '{{queue}} limit' },
    ],
  }),
  lines({
    title: 'Waiting by priority',
    says: 'Messages in hand whose handler has not begun. High priority should hardly show. If low priority piles up here, the machine carries less than admission thought: it will take less.',
    unit: 'short', min: 0, width: 8, stacked: true, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: sum('priority', ofQueue('holdfast_messages_waiting')), legend: 'priority {{priority}}' }],
  }),
  states({
    title: 'Admission waits',
    says: 'Why nothing more is taken, where it is not that the machine carries no more. leases: renewals are late or fail. pool: the .NET pool is late. bytes: the messages in hand are large (Worker__MaxBytesInFlight). breaker: so many handlers fail that receiving pauses. rate: as many have begun as may (Worker__RateLimit__PerSecond). threads: so many handlers block that hardly a thread is left. order: the slots are taken by messages that wait for others of their key (Worker__OrderBy). Cure the cause; the wait keeps what is in hand safe.',
    unit: 'short', width: 8, steps: NONE, words: { 0: 'no', 1: 'waits' }, runbook: 'slots-saturated',
    queries: [{ expr: max('queue, reason', ofQueue('holdfast_admission_holding')), legend: '{{queue}} {{reason}}' }],
  }),
];

const failures = () => [
  lines({
    title: 'Retries',
    says: 'Handlers that failed and were tried again at once, on the same lease. Many of them without dead letters: what they call is shaky. The log names message and error.',
    unit: 'short', min: 0, width: 8, bars: true, steps: upTo(10, 100), runbook: 'dead-letters',
    queries: [{ expr: sum('queue', inEachStep(ofQueue('holdfast_handler_retries_total'))), legend: '{{queue}}' }],
  }),
  lines({
    title: 'Dead letters and delays',
    says: 'Messages put aside, and messages kept back by the broker after a failure. Dead letters that keep coming are a fault in what is sent or in the handler: read their reasons.',
    unit: 'short', min: 0, width: 8, bars: true, steps: upTo(0.5, 3), runbook: 'dead-letters',
    queries: [{ expr: sum('queue, outcome', inEachStep(ofQueue(SETTLED, 'outcome=~"dead_letter|delay"'))), legend: '{{queue}} {{outcome}}' }],
  }),
  lines({
    title: 'Drains that timed out',
    says: 'Stops that ended before the handlers did: what still ran was given back and is handled again. If it happens at each deployment, raise Worker__DrainTimeout above the longest handler.',
    unit: 'short', min: 0, width: 8, bars: true, steps: NONE, runbook: 'drain-timed-out',
    queries: [{ expr: sum('instance', inEachStep(ofWorker('holdfast_drain_timeouts_total'))), legend: '{{instance}}' }],
  }),
];

const connection = () => [
  states({
    title: 'Connection',
    says: 'Whether each worker reaches the broker of its queue. Cut off, it takes nothing and can neither renew nor settle; it tries again by itself. The log says why.',
    unit: 'short', width: 8, steps: SOME, words: { 0: 'cut off', 1: 'connected' }, runbook: 'broker-disconnected',
    queries: [{ expr: ofQueue('holdfast_broker_connected'), legend: '{{instance}} {{queue}}' }],
  }),
  lines({
    title: 'Operations that failed',
    says: 'What the broker refused or never answered, by what was asked and the kind of error; of all queues, also those that handlers only send to. The log has the whole sentence; find out from the broker why.',
    unit: 'cps', min: 0, width: 8, steps: upTo(0.01, 1), runbook: 'broker-disconnected',
    queries: [{
      expr: sum('messaging_operation_name, error_type', rate(ofWorker(`${OPERATION}_count`, 'error_type!=""'))),
      legend: '{{messaging_operation_name}} {{error_type}}',
    }],
  }),
  lines({
    title: 'Sent and consumed',
    says: "Messages by OpenTelemetry's own counts: what handlers and other code sent, to whatever queue, and what was consumed. Compare them with other services, which count the same way.",
    unit: 'cps', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [
      { expr: sum('messaging_destination_name', rate(ofWorker('messaging_client_sent_messages_total'))), legend: '{{messaging_destination_name}} sent' },
      { expr: sum('messaging_destination_name', rate(ofBroker('messaging_client_consumed_messages_total'))), legend: '{{messaging_destination_name}} consumed' },
    ],
  }),
  lines({
    title: 'Processing, as OpenTelemetry counts it',
    says: 'How long processing took by the messaging conventions, so that it can be laid beside other services. If it differs between instances, look at the slow one.',
    unit: 's', min: 0, width: 12, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: quantile(0.99, ['instance'], 'messaging_process_duration_seconds', ofBroker), legend: '{{instance}}', exemplars: true }],
  }),
  lines({
    title: 'Settling round trip',
    says: "How long the broker's answer to a settlement took. A settlement must come before its lease ends: if this grows towards the lock's length, find out what slows the broker.",
    unit: 's', min: 0, width: 12, steps: upTo(0.5, 2), runbook: 'broker-disconnected',
    queries: [0.5, 0.99].map((q) => ({
      expr: quantile(q, ['messaging_destination_name'], OPERATION, ofBroker, 'messaging_operation_name="settle"'),
      legend: `{{messaging_destination_name}} ${q === 0.5 ? 'median' : '99th percentile'}`,
      exemplars: q === 0.99,
    })),
  }),
];

// RabbitMQ is another job, and its queues have no instance of ours. Each virtual host may have a queue of the same name.
const inEachHost = (metric, queues = '$queue') => sum('vhost, queue', ofRabbit(metric, `queue=~"${queues}"`));
const rabbit = () => [
  lines({
    title: 'Backlog',
    says: 'Messages that wait in the queue, and messages that are with a worker. A backlog that grows while slots are full wants more workers; while slots are free, look at what admission waits for.',
    unit: 'short', min: 0, width: 8, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [
      { expr: inEachHost('rabbitmq_queue_messages_ready'), legend: '{{queue}} in {{vhost}}, waiting' },
      { expr: inEachHost('rabbitmq_queue_messages_unacked'), legend: '{{queue}} in {{vhost}}, with workers' },
    ],
  }),
  lines({
    title: 'Dead letters that lie there',
    says: 'Messages in the queue of dead letters (the queue’s name and .dead, unless a policy says otherwise). They wait for a person: read them, mend the cause, send them again.',
    unit: 'short', min: 0, width: 8, steps: upTo(1, 100), runbook: 'dead-letters',
    queries: [{ expr: inEachHost('rabbitmq_queue_messages_ready', '$queue\\\\.dead'), legend: '{{queue}} in {{vhost}}' }],
  }),
  lines({
    title: 'Consumers',
    says: "Consumers of the queue. Each worker has some; at 0 nobody listens, or the server has cancelled them: see the worker's log.",
    unit: 'short', min: 0, width: 8, steps: SOME, runbook: 'broker-disconnected',
    queries: [{ expr: inEachHost('rabbitmq_queue_consumers'), legend: '{{queue}} in {{vhost}}' }],
  }),
  lines({
    title: 'Delivered, acknowledged, redelivered',
    says: 'All that the chosen RabbitMQ has, each second. Redeliveries beyond what was given back are leases that ended with their channel: compare them with the misses.',
    unit: 'cps', min: 0, width: 8, steps: NEUTRAL, runbook: 'lease-misses',
    queries: [
      { expr: `sum(${rate(ofRabbit('rabbitmq_global_messages_delivered_consume_manual_ack_total'))})`, legend: 'delivered' },
      { expr: `sum(${rate(ofRabbit('rabbitmq_global_messages_acknowledged_total'))})`, legend: 'acknowledged' },
      { expr: `sum(${rate(ofRabbit('rabbitmq_global_messages_redelivered_total'))})`, legend: 'redelivered' },
    ],
  }),
  lines({
    title: 'Connections opened and closed',
    says: 'All of the chosen RabbitMQ. Connections that come and go with leases lost: the server cuts clients whose heartbeats stay away, and other workers suffer from that more than Holdfast.',
    unit: 'short', min: 0, width: 8, steps: NEUTRAL, runbook: 'broker-disconnected',
    queries: [
      { expr: `sum(${inEachStep(ofRabbit('rabbitmq_connections_opened_total'))})`, legend: 'opened' },
      { expr: `sum(${inEachStep(ofRabbit('rabbitmq_connections_closed_total'))})`, legend: 'closed' },
    ],
  }),
  lines({
    title: "Memory and disk, of the server's limits",
    says: 'The server that is nearest to its limit. At 100 % it raises an alarm and takes nothing from publishers: settling goes on, but delays and dead letters, which send, do not. Give it memory or disk, or drain its queues, before that.',
    unit: 'percentunit', min: 0, width: 8, steps: upTo(0.8, 1), runbook: 'broker-disconnected',
    queries: [
      { expr: max('job', `${ofRabbit('rabbitmq_process_resident_memory_bytes')} / ${ofRabbit('rabbitmq_resident_memory_limit_bytes')}`), legend: '{{job}} memory' },
      { expr: max('job', `${ofRabbit('rabbitmq_disk_space_available_limit_bytes')} / ${ofRabbit('rabbitmq_disk_space_available_bytes')}`), legend: '{{job}} disk' },
    ],
  }),
];
