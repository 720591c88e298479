import { BUDGET, FAST_BURN, PERIOD, SLOW_BURN } from './objective.mjs';

/** By what leases are told apart: not by instance, for a queue's leases are kept together. */
export const SCOPE = 'namespace, job, queue';

/** The recording rules: what alerts and dashboards ask for again and again. */
export function rulesIn(span) {
  const missRatios = [FAST_BURN.short, SLOW_BURN.short, FAST_BURN.long, SLOW_BURN.long].map((window) => ({
    record: `holdfast:lease_miss_ratio:rate${window}`,
    expr: ratio(rate('holdfast_lease_misses_total', span(window)), ended(span(window))),
  }));

  return [
    {
      name: 'holdfast-leases',
      interval: span('30s'),
      rules: [
        ...missRatios,
        {
          record: 'holdfast:lease_misses:rate5m',
          expr: rate('holdfast_lease_misses_total', span('5m')),
        },
        {
          record: 'holdfast:leases_ended:rate5m',
          expr: ended(span('5m')),
        },
        {
          record: 'holdfast:lease_margin_seconds:p1_rate5m',
          expr: quantile(0.01, 'holdfast_lease_margin_seconds', span('5m')),
        },
        {
          // Where no lock is known yet there is no ratio either.
          record: 'holdfast:lease_margin:p1_of_lock',
          expr: `holdfast:lease_margin_seconds:p1_rate5m / (max by (${SCOPE}) (holdfast_lease_lock_seconds) > 0)`,
        },
        {
          record: 'holdfast:lease_lateness_seconds:p99_rate5m',
          expr: quantile(0.99, 'holdfast_lease_lateness_seconds', span('5m')),
        },
      ],
    },
    {
      name: 'holdfast-flow',
      interval: span('30s'),
      rules: [
        {
          record: 'holdfast:handler_duration_seconds:mean_rate5m',
          expr: `${rate('holdfast_handler_duration_seconds_sum', span('5m'))}
/
(${rate('holdfast_handler_duration_seconds_count', span('5m'))} > 0)`,
        },
        {
          // What of the latency is not the handler's: at the broker, or in hand.
          record: 'holdfast:message_wait_seconds:mean_rate5m',
          expr: `(
  ${rate('holdfast_message_latency_seconds_sum', span('5m'))}
  -
  ${rate('holdfast_handler_duration_seconds_sum', span('5m'))}
)
/
(${rate('holdfast_message_latency_seconds_count', span('5m'))} > 0)`,
        },
        {
          // To be read over a day, as the next: few series, which outlive the instances that they came from.
          record: 'holdfast:handler_duration_seconds_bucket:rate5m',
          expr: `sum by (${SCOPE}, le) (rate(holdfast_handler_duration_seconds_bucket[${span('5m')}]))`,
        },
        {
          record: 'holdfast:queue_workers:count',
          expr: `count by (${SCOPE}) (holdfast_slots_limit)`,
        },
      ],
    },
    {
      name: 'holdfast-budget',
      interval: span('5m'),
      rules: [
        {
          // Of the recorded rates, which outlive the instances that they came from and are few enough to be read over a month.
          record: `holdfast:lease_miss_ratio:rate${PERIOD}`,
          expr: ratio(`avg_over_time(holdfast:lease_misses:rate5m[${span(PERIOD)}])`, `avg_over_time(holdfast:leases_ended:rate5m[${span(PERIOD)}])`),
        },
        {
          record: `holdfast:lease_budget_left:ratio${PERIOD}`,
          expr: `1 - holdfast:lease_miss_ratio:rate${PERIOD} / ${BUDGET}`,
        },
      ],
    },
  ];
}

/** Nothing of nothing is nothing: without traffic the ratio is 0, not absent and not NaN. */
export const ratio = (part, whole) => `${part}
/
(${whole} > 0)
or
${part} * 0`;

const rate = (counter, window) => `sum by (${SCOPE}) (rate(${counter}[${window}]))`;

/** What is given back, or put aside, at a stop or at the broker's limit has missed its lease by being settled: it stands among the settled already. */
export const UNSETTLED = 'reason!~"deadline|drain"';

// A lease ends settled or missed. All reasons have their series from the start, so there always is a second half to add.
const ended = (window) => `(
  ${rate('holdfast_messages_settled_total', window)}
  +
  ${rate(`holdfast_lease_misses_total{${UNSETTLED}}`, window)}
)`;

// Of no observations at all Prometheus makes NaN, which the comparison drops.
const quantile = (q, histogram, window) => `histogram_quantile(${q}, sum by (${SCOPE}, le) (rate(${histogram}_bucket[${window}]))) >= 0`;
