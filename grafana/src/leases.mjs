import { BUDGET, FAST_BURN, LATE, PERIOD, SLOW_BURN, THIN_MARGIN } from './objective.mjs';
import { boardOf } from './board.mjs';
import { NEUTRAL, NONE, atLeast, heat, lines, number, upTo } from './panels.mjs';
import { buckets, inEachStep, max, ofBroker, ofQueue, ofWorker, quantile, rate, recorded, sum } from './query.mjs';
import { UNSETTLED } from './rules.mjs';

/** Are leases safe; and if a renewal was late, why? */
export const leases = () => boardOf({
  uid: 'holdfast-leases',
  title: 'Holdfast: Leases',
  description: 'How close to losing a lease the workers came, and what brought them there.',
  rows: [
    { title: 'Are leases safe?', panels: summary() },
    { title: 'What was lost', panels: misses() },
    { title: 'Margin and lateness', panels: margin() },
    { title: 'Why was a renewal late?', panels: causes() },
  ],
});

const MISSES = 'holdfast_lease_misses_total';
const RENEWAL = 'messaging_client_operation_duration_seconds';
const inRange = (series) => `sum(increase(${series}[$__range]))`;

const summary = () => [
  number({
    title: 'Misses',
    says: 'Leases that were lost in the time shown while their message was still wanted; each such message is handled again. There should be none: see which reason grows below.',
    unit: 'short', decimals: 0, steps: NONE, runbook: 'lease-misses',
    queries: [{ expr: inRange(ofQueue(MISSES)) }],
  }),
  number({
    title: 'Miss ratio',
    says: 'Misses among all leases that ended in the time shown, settled or missed; 0 where none ended. Above the objective, the budget of thirty days is being overspent.',
    unit: 'percentunit', decimals: 3, steps: upTo(BUDGET / 10, BUDGET), runbook: 'lease-misses',
    queries: [{
      expr: `${inRange(ofQueue(MISSES))} / (${inRange(ofQueue('holdfast_messages_settled_total'))} + ${inRange(ofQueue(MISSES, UNSETTLED))} > 0) or ${inRange(ofQueue(MISSES))} * 0`,
    }],
  }),
  number({
    title: 'Budget left',
    says: `What is left of the misses that the objective allows within ${PERIOD}, for the queue that has least. Below 0 the objective is broken: let changes that put leases at risk wait.`,
    unit: 'percentunit', decimals: 1, max: 1, steps: atLeast(0, 0.25), runbook: 'lease-misses',
    queries: [{ expr: `min(${recorded(`holdfast:lease_budget_left:ratio${PERIOD}`)})` }],
  }),
  number({
    title: 'Margin, 1st percentile',
    says: 'The part of its lock that the slowest renewal in a hundred left, for the queue that is nearest to a miss. About half is usual. When it falls, look for the cause in the last row, before a lease is lost. Empty until something is renewed.',
    unit: 'percentunit', decimals: 0, max: 1, steps: atLeast(THIN_MARGIN, 2 * THIN_MARGIN), runbook: 'lease-margin',
    queries: [{ expr: `min(${recorded('holdfast:lease_margin:p1_of_lock')})` }],
  }),
  number({
    title: 'Leases held',
    says: 'Messages in our hands right now, each under a lease that is renewed. If it is 0 while messages wait, look at the Flow dashboard.',
    unit: 'short', decimals: 0, steps: NEUTRAL, runbook: 'slots-saturated',
    queries: [{ expr: `sum(${ofQueue('holdfast_leases_held')})` }],
  }),
  number({
    title: 'Firing alerts',
    says: 'Alerts on Holdfast that fire right now, in all jobs. Begin with those that page; each names its runbook.',
    unit: 'short', decimals: 0, steps: NONE, runbook: 'lease-misses',
    queries: [{ expr: 'count(ALERTS{alertname=~"Holdfast.+", alertstate="firing"}) or vector(0)' }],
  }),
];

const misses = () => [
  lines({
    title: 'Misses by reason',
    says: 'expired: no renewal came back in time, see the last row. rejected: the broker had given the message up. connection: the broker was out of reach for too long. deadline: the message was held for as long as the broker allows. drain: the worker stopped before the handler was done.',
    unit: 'short', steps: NONE, stacked: true, bars: true, runbook: 'lease-misses',
    queries: [{ expr: sum('reason', inEachStep(ofQueue(MISSES))), legend: '{{reason}}' }],
  }),
  lines({
    title: 'Burn rates',
    says: `How many times faster than evenly the budget is spent. Somebody is paged where both windows of a pair pass their line: ${FAST_BURN.long} and ${FAST_BURN.short} at ${FAST_BURN.factor}, ${SLOW_BURN.long} and ${SLOW_BURN.short} at ${SLOW_BURN.factor}. At 0, nothing is lost.`,
    unit: 'x', steps: upTo(SLOW_BURN.factor, FAST_BURN.factor), runbook: 'lease-misses',
    queries: [FAST_BURN.short, FAST_BURN.long, SLOW_BURN.short, SLOW_BURN.long].map((window) => ({
      expr: max('queue', `${recorded(`holdfast:lease_miss_ratio:rate${window}`)} / ${BUDGET}`),
      legend: `{{queue}} ${window}`,
    })),
  }),
];

const margin = () => [
  lines({
    title: 'Margin',
    says: 'Trust left in a lease when its renewal came back: of one in a hundred no more than the lowest line, of half of them the middle one; the lock itself for scale. The leading indicator: it falls before anything is lost.',
    unit: 's', min: 0, steps: atLeast(0.5, 1), runbook: 'lease-margin',
    queries: [
      { expr: quantile(0.01, ['queue'], 'holdfast_lease_margin_seconds', ofQueue), legend: '{{queue}} 1st percentile', exemplars: true },
      { expr: quantile(0.5, ['queue'], 'holdfast_lease_margin_seconds', ofQueue), legend: '{{queue}} median' },
      { expr: max('queue', ofQueue('holdfast_lease_lock_seconds')), legend: '{{queue}} lock' },
    ],
  }),
  lines({
    title: 'Lateness',
    says: 'How long after its time a renewal was sent. It should be milliseconds, and must not grow with the number of busy handlers: if it does, this process did not get its CPU, see the last row.',
    unit: 's', min: 0, steps: upTo(LATE / 5, LATE), runbook: 'renewals-late',
    queries: [
      { expr: quantile(0.5, ['queue'], 'holdfast_lease_lateness_seconds', ofQueue), legend: '{{queue}} median' },
      { expr: quantile(0.99, ['queue'], 'holdfast_lease_lateness_seconds', ofQueue), legend: '{{queue}} 99th percentile', exemplars: true },
    ],
  }),
  heat({
    title: 'Margin, all renewals',
    says: 'All renewals by the trust that was left when they came back. A band that spreads downwards is danger that the median hides. Points are exemplars: they lead to the trace of one renewal.',
    unit: 's', steps: NEUTRAL, runbook: 'lease-margin',
    queries: [{ expr: buckets('holdfast_lease_margin_seconds', ofQueue), legend: '{{le}}', exemplars: true }],
  }),
  heat({
    title: 'Lateness, all renewals',
    says: 'All renewals by how late they were sent. A second band beside the first means that something stops the process now and then: compare the last row.',
    unit: 's', steps: NEUTRAL, runbook: 'renewals-late',
    queries: [{ expr: buckets('holdfast_lease_lateness_seconds', ofQueue), legend: '{{le}}', exemplars: true }],
  }),
  lines({
    title: 'Renewals by outcome',
    says: 'renewed is well. lost: the broker had given the message up. unknown: no answer that tells, asked again while there is trust. severed: the connection that carried the lease is gone.',
    unit: 'cps', steps: NEUTRAL, runbook: 'renewals-late',
    queries: [{ expr: sum('queue, outcome', rate(ofQueue('holdfast_lease_renewals_total'))), legend: '{{queue}} {{outcome}}' }],
  }),
  lines({
    title: 'Renewal round trip',
    says: 'From asking the broker for a renewal to its answer. If this grows while lateness does not, the broker or the network is slow, not this worker.',
    unit: 's', min: 0, steps: upTo(0.5, 2), runbook: 'renewals-late',
    queries: [0.5, 0.99].map((q) => ({
      expr: quantile(q, ['messaging_destination_name'], RENEWAL, ofBroker, 'messaging_operation_name="renew_message_lock"'),
      legend: `{{messaging_destination_name}} ${q === 0.5 ? 'median' : '99th percentile'}`,
      exemplars: q !== 0.5,
    })),
  }),
];

const causes = () => [
  lines({
    title: 'CPU throttled',
    says: 'CPU seconds that the quota held back in each second, added up over the CPUs; while it does, the whole process is frozen, its lease thread too. If it is more than now and then: raise the quota, or lower Worker__Threads.',
    unit: 'short', min: 0, width: 8, steps: upTo(0.05, 0.25), runbook: 'renewals-late',
    queries: [{ expr: rate(ofWorker('holdfast_cpu_throttled_seconds_total')), legend: '{{instance}}' }],
  }),
  lines({
    title: 'Garbage collection',
    says: 'The part of time in which garbage collection stopped the process. If it is high: find what the handlers allocate, or give the process more memory.',
    unit: 'percentunit', min: 0, width: 8, steps: upTo(0.05, 0.2), runbook: 'renewals-late',
    queries: [{ expr: rate(ofWorker('dotnet_gc_pause_time_seconds_total')), legend: '{{instance}}' }],
  }),
  lines({
    title: 'CPU used',
    says: 'Cores in use. Near the quota, handlers get slower and room shrinks; leases must not notice. If they do, something else on this machine takes the CPU.',
    unit: 'short', min: 0, width: 8, steps: NEUTRAL, runbook: 'renewals-late',
    queries: [{ expr: sum('instance', rate(ofWorker('dotnet_process_cpu_time_seconds_total'))), legend: '{{instance}}' }],
  }),
  lines({
    title: 'Blocked threads',
    says: 'Threads that wait inside a handler; spare ones stand in for them, as long as there are any. If they come near the limit (MaxSpareThreads): make the handler await.',
    unit: 'short', min: 0, width: 8, steps: NEUTRAL, runbook: 'threads-blocked',
    queries: [
      { expr: ofWorker('holdfast_threads_blocked'), legend: '{{instance}}' },
      { expr: ofWorker('holdfast_threads_spare_limit'), legend: '{{instance}} limit' },
    ],
  }),
  lines({
    title: 'Long turns by lane',
    says: 'Turns that held their thread for longer than Worker__LongTurn, by the lane that they held. process: a handler; the log names its message. lease or receive: the engine itself was stopped, by the CPU or by memory.',
    unit: 'short', min: 0, width: 8, bars: true, stacked: true, steps: NONE, runbook: 'renewals-late',
    queries: [{ expr: sum('lane', inEachStep(ofWorker('holdfast_turns_long_total'))), legend: '{{lane}}' }],
  }),
  lines({
    title: 'Pool queue',
    says: "Work that waits for a thread of .NET's pool, where brokers' clients live. If it stays above 0: a handler or a library floods or blocks the pool. It is a level, whatever its name ends in.",
    unit: 'short', min: 0, width: 8, steps: upTo(50, 500), runbook: 'renewals-late',
    queries: [{ expr: ofWorker('', '__name__=~"dotnet_thread_pool_queue_length(_total)?"'), legend: '{{instance}}' }],
  }),
  lines({
    title: 'Lane wait',
    says: 'How long work waited in its lane for a thread, at the 99th percentile. process may wait under load, receive gives way to all. If lease waits too, no thread came round: look at CPU and blocked threads.',
    unit: 's', min: 0, width: 8, steps: upTo(0.1, 1), runbook: 'renewals-late',
    queries: [{ expr: quantile(0.99, ['lane'], 'holdfast_lane_wait_seconds', ofWorker), legend: '{{lane}}' }],
  }),
  lines({
    title: 'Lane turn',
    says: 'How long a turn held its thread, at the 99th percentile. If process is long, what ranks behind it waits: let the handler await now and then.',
    unit: 's', min: 0, width: 8, steps: upTo(1, 5), runbook: 'renewals-late',
    queries: [{ expr: quantile(0.99, ['lane'], 'holdfast_lane_turn_seconds', ofWorker), legend: '{{lane}}' }],
  }),
  lines({
    title: 'Broker round trip',
    says: "How long the broker's answers took, at the 99th percentile, by what was asked. If all of them are slow, it is the broker or the network; if only renew_message_lock is, it is the broker's own limit on renewals. receive includes waiting for a message.",
    unit: 's', min: 0, width: 8, steps: upTo(0.5, 2), runbook: 'renewals-late',
    queries: [{ expr: quantile(0.99, ['messaging_operation_name'], RENEWAL, ofBroker), legend: '{{messaging_operation_name}}', exemplars: true }],
  }),
];
