/** The selections that the dashboards' variables stand for, and the shapes of query that recur. */

const JOB = 'namespace=~"$namespace", job=~"$job"';
const WORKER = `${JOB}, instance=~"$instance"`;
const QUEUE = `${WORKER}, queue=~"$queue"`;
const RECORDED = `${JOB}, queue=~"$queue"`;
const BROKER = `${WORKER}, messaging_destination_name=~"$queue"`;
const RABBIT = 'job=~"$rabbitmq"';

/** What any worker of a job tells; a worker's own series, a queue's, a recorded one of a queue, one of OpenTelemetry's messaging conventions; and one that RabbitMQ tells. */
export const ofJob = (metric) => select(metric, JOB);
export const ofWorker = (metric, more) => select(metric, WORKER, more);
export const ofQueue = (metric, more) => select(metric, QUEUE, more);
export const recorded = (metric) => select(metric, RECORDED);
export const ofBroker = (metric, more) => select(metric, BROKER, more);
export const ofRabbit = (metric, more) => select(metric, RABBIT, more);

export const sum = (by, query) => `sum by (${by}) (${query})`;
export const max = (by, query) => `max by (${by}) (${query})`;
export const rate = (series) => `rate(${series}[$__rate_interval])`;

/**
 * How many there were in each step, for bars and heatmaps, each event in one of them. Grafana's $__rate_interval is the step and one scrape more,
 * so that no growth between two scrapes falls between two windows, but four scrapes at least: with a smaller step the windows overlap, and one event
 * shows in several bars. So who asks for this has steps of LEAST_STEP, in which windows only meet. And `increase` would count up to the window,
 * a scrape too far; the rate is counted up to the step instead, so that what the bars show adds up to what there was.
 */
export const inEachStep = (series) => `${rate(series)} * $__interval_ms / 1000`;

/** Three scrapes are the least, and a scrape is 15 s. */
export const LEAST_STEP = '1m';

/** How often each bucket was hit, for a heatmap. */
export const buckets = (histogram, of, more) => sum('le', inEachStep(of(`${histogram}_bucket`, more)));

/** Without observations there is no quantile: the comparison drops the NaN that Prometheus makes of them. */
export const quantile = (q, by, histogram, of, more) => `histogram_quantile(${q}, sum by (${[...by, 'le'].join(', ')}) (${rate(of(`${histogram}_bucket`, more))})) >= 0`;

function select(metric, variables, more) {
  return `${metric}{${more ? `${variables}, ${more}` : variables}}`;
}
