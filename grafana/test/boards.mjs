import { readFileSync } from 'node:fs';

const FOLDER = new URL('../dashboards/', import.meta.url);

/** The dashboards as they are committed. */
export const read = (name) => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), 'utf8'));

export const LEASES = read('leases');
export const FLOW = read('flow');
export const RUNBOOKS = read('runbooks');

/** The panels that show something. */
export const panelsOf = (board) => board.panels.filter((panel) => panel.type !== 'row');

/** Everything that a dashboard asks Prometheus for: of panels and annotations. */
export const queriesOf = (board) => [
  ...panelsOf(board).flatMap((panel) => panel.targets.map((target) => target.expr)),
  ...board.annotations.list.map((annotation) => annotation.expr),
];

/** What one can choose on a dashboard. */
export const variablesOf = (board) => board.templating.list;

/** A query as Grafana sends it, with all of everything chosen. */
export function asked(expr) {
  const values = { __rate_interval: '75s', __interval_ms: '60000', __range: '1h', namespace: '.*', job: '(holdfast|other)', instance: '.*', queue: 'orders', rabbitmq: 'rabbitmq' };
  return expr.replace(/\$(\w+)/g, (_, name) => values[name] ?? unknown(name, expr));
}

function unknown(name, expr) {
  throw new Error(`Nobody defines $${name} in ${expr}`);
}
