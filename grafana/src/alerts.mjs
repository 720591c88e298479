import {
  BEFORE, BLOCKED, FAST_BURN, FEWEST_DEAD_LETTERS, FEWEST_MISSES, LATE, LEFT_OVER, RESTARTS, SHORT_HANDLER, SHRUNK_MARGIN, SLOW_BURN, THIN_MARGIN, burning,
} from './objective.mjs';
import { SCOPE } from './rules.mjs';

const PAGE = 'page';
const TICKET = 'ticket';
const WAIT = 'holdfast:message_wait_seconds:mean_rate5m';

/** The alerts: somebody is woken (page) where leases are lost or soon will be, and told (ticket) where it can wait for the morning. */
export function alertsIn(span) {
  return [
    {
      name: 'holdfast-lease-alerts',
      interval: span('30s'),
      rules: [
        burn('HoldfastLeaseMissesFast', FAST_BURN, span('2m'), `${missed(`[${span(FAST_BURN.long)}]`)} > ${FEWEST_MISSES - 0.5}`),
        burn('HoldfastLeaseMissesSlow', SLOW_BURN, span('15m'), `${missed(`[${span(BEFORE.over)}] offset ${span(BEFORE.until)}`)} > 0`),
        {
          alert: 'HoldfastLeaseMarginThin',
          expr: `holdfast:lease_margin:p1_of_lock < ${THIN_MARGIN}`,
          for: span('5m'),
          severity: PAGE,
          runbook: 'lease-margin',
          summary: 'Leases of {{ $labels.queue }} are renewed with little time left',
          description: 'The slowest renewal in a hundred came back with {{ $value | humanizePercentage }} of the lock left.',
        },
        {
          // Of yesterday's, not of the last hour's: what shrinks slowly would be its own measure.
          alert: 'HoldfastLeaseMarginShrinking',
          expr: `holdfast:lease_margin:p1_of_lock
<
${SHRUNK_MARGIN} * avg_over_time(holdfast:lease_margin:p1_of_lock[${span('1d')}] offset ${span('1h')})`,
          for: span('15m'),
          severity: TICKET,
          runbook: 'lease-margin',
          summary: 'Leases of {{ $labels.queue }} are renewed with less time left than yesterday',
          description: 'The slowest renewal in a hundred came back with {{ $value | humanizePercentage }} of the lock left, far less than on the day before.',
        },
        {
          alert: 'HoldfastRenewalsLate',
          expr: `holdfast:lease_lateness_seconds:p99_rate5m > ${LATE}`,
          for: span('10m'),
          severity: TICKET,
          runbook: 'renewals-late',
          summary: 'Renewals of {{ $labels.queue }} are sent late',
          description: 'The latest renewal in a hundred was sent {{ $value | humanizeDuration }} after its time.',
        },
      ],
    },
    {
      name: 'holdfast-flow-alerts',
      interval: span('30s'),
      rules: [
        {
          // By how the wait grows, not by full slots: those are empty where the CPU is spent or a rate is kept, and full where nobody waits.
          // After a stop it has grown, and falls again: then it is over.
          alert: 'HoldfastSlotsSaturated',
          expr: `deriv(${WAIT}[${span('30m')}]) > ${LEFT_OVER}
and on (${SCOPE})
${WAIT} > holdfast:handler_duration_seconds:mean_rate5m
unless on (${SCOPE})
${WAIT} < ${WAIT} offset ${span('10m')}`,
          for: span('10m'),
          severity: TICKET,
          runbook: 'slots-saturated',
          summary: 'More is sent to {{ $labels.queue }} than is carried: messages wait longer and longer',
          description: 'About {{ $value | humanizePercentage }} of what is sent is left over: by so much of the time that passed the mean wait has grown.',
        },
        {
          // Leases are renewed for as long as a handler hangs, and without an end there is no duration and no wait: nothing else tells.
          alert: 'HoldfastStandstill',
          expr: `sum by (${SCOPE}) (increase(holdfast_messages_settled_total[${span('15m')}])) == 0
and on (${SCOPE})
sum by (${SCOPE}) (avg_over_time(holdfast_slots_used[${span('15m')}])) >= 1
and on (${SCOPE})
histogram_quantile(0.99, avg_over_time(holdfast:handler_duration_seconds_bucket:rate5m[${span('1d')}])) < ${SHORT_HANDLER}`,
          for: span('5m'),
          severity: TICKET,
          runbook: 'standstill',
          summary: 'Workers hold messages of {{ $labels.queue }}, and settle none',
          description: 'For a quarter of an hour not one was settled, by no instance; on the day before, 99 of 100 handlers were done within five minutes.',
        },
        {
          alert: 'HoldfastThreadsBlocked',
          expr: `min_over_time(holdfast_threads_blocked[${span('5m')}]) >= ${BLOCKED} * holdfast_threads_spare_limit > 0`,
          for: span('5m'),
          severity: TICKET,
          runbook: 'threads-blocked',
          summary: 'Most spare threads of {{ $labels.instance }} stand in for blocked ones',
          description: '{{ $value | humanize }} handlers block their threads; beyond MaxSpareThreads the other handlers wait.',
        },
        {
          alert: 'HoldfastDeadLettersGrowing',
          expr: `sum by (${SCOPE}) (increase(holdfast_messages_settled_total{outcome="dead_letter"}[${span('15m')}])) > ${FEWEST_DEAD_LETTERS - 0.5}`,
          severity: TICKET,
          runbook: 'dead-letters',
          summary: 'Messages of {{ $labels.queue }} become dead letters',
          description: 'About {{ $value | humanize }} messages were put aside within a quarter of an hour.',
        },
      ],
    },
    {
      name: 'holdfast-worker-alerts',
      interval: span('30s'),
      rules: [
        {
          alert: 'HoldfastDrainTimedOut',
          expr: `increase(holdfast_drain_timeouts_total[${span('15m')}]) > 0.5`,
          severity: TICKET,
          runbook: 'drain-timed-out',
          summary: '{{ $labels.instance }} stopped before its handlers were done',
          description: 'What still ran after DrainTimeout was called off. What did not end by that was given back, and is handled again.',
        },
        {
          alert: 'HoldfastBrokerDisconnected',
          expr: `max_over_time(holdfast_broker_connected[${span('1m')}]) == 0`,
          for: span('2m'),
          severity: PAGE,
          runbook: 'broker-disconnected',
          summary: '{{ $labels.instance }} cannot reach the broker of {{ $labels.queue }}',
          description: 'It takes nothing, and what it holds cannot be renewed or settled.',
        },
        {
          alert: 'HoldfastWorkerDown',
          expr: 'up{job=~"holdfast.*"} == 0',
          for: span('5m'),
          severity: TICKET,
          runbook: 'worker-absent',
          summary: '{{ $labels.instance }} does not answer Prometheus',
          description: 'The worker is gone, hangs, or its management port cannot be reached.',
        },
        {
          // It is soon there again, and so never down for long. Whoever lives for a quarter of an hour each time is found too.
          alert: 'HoldfastWorkerRestarting',
          expr: `changes(process_start_time_seconds{job=~"holdfast.*"}[${span('1h')}]) >= ${RESTARTS}`,
          severity: TICKET,
          runbook: 'worker-restarts',
          summary: '{{ $labels.instance }} ends again and again',
          description: 'It was started anew {{ $value | humanize }} times within an hour; what it held each time is handled again.',
        },
        {
          // Whoever serves another queue keeps the next alert silent. What was renamed or given up is forgotten after a day.
          alert: 'HoldfastQueueUnserved',
          expr: `last_over_time(holdfast:queue_workers:count[${span('1d')}])
unless
holdfast:queue_workers:count`,
          for: span('5m'),
          severity: PAGE,
          runbook: 'queue-unserved',
          summary: 'Nobody takes messages of {{ $labels.queue }} any more',
          description: 'Prometheus sees no worker of this queue. It saw some within the last day, {{ $value }} when it last did.',
        },
        {
          alert: 'HoldfastAbsent',
          expr: 'absent(up{job=~"holdfast.*"} == 1)',
          for: span('5m'),
          severity: PAGE,
          runbook: 'worker-absent',
          summary: 'Prometheus sees no Holdfast worker at all',
          description: 'No worker answers, or none is scraped: then every other alert is blind.',
        },
      ],
    },
  ];
}

// What a stop costs counts in the ratio, but the stop was somebody's doing, is over, and has an alert of its own: it alone wakes nobody.
const missed = (range) => `sum by (${SCOPE}) (increase(holdfast_lease_misses_total{reason!="drain"}${range}))`;

function burn(alert, rate, wait, isNoSingleOne) {
  const { factor, long, short } = rate;
  const ratioOver = (window) => `holdfast:lease_miss_ratio:rate${window}`;
  return {
    alert,
    expr: `${ratioOver(long)} > ${burning(rate)}
and
${ratioOver(short)} > ${burning(rate)}
and on (${SCOPE})
${isNoSingleOne}`,
    for: wait,
    severity: PAGE,
    runbook: 'lease-misses',
    summary: `Leases of {{ $labels.queue }} are lost more than ${factor} times faster than the objective allows`,
    description: `{{ $value | humanizePercentage }} of the leases that ended within ${long} were lost; their messages are handled again.`,
  };
}
