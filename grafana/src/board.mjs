import dashboard from '@grafana/grafana-foundation-sdk/dashboard';
import prometheus from '@grafana/grafana-foundation-sdk/prometheus';
import { SOURCE } from './panels.mjs';
import { ofJob, ofWorker } from './query.mjs';

/**
 * @typedef {{ title: string, panels: import('@grafana/grafana-foundation-sdk/cog').Builder<dashboard.Panel>[] }} Row
 * @typedef {{ name: string, label: string, query: string, all?: string }} Choice
 */

// What has no such label is among them: outside a cluster nothing has a namespace.
const WHATEVER = '.*';

/** @type {Choice[]} */
const CHOICES = [
  { name: 'namespace', label: 'Namespace', query: 'label_values(holdfast_leases_held, namespace)', all: WHATEVER },
  { name: 'job', label: 'Job', query: 'label_values(holdfast_leases_held{namespace=~"$namespace"}, job)' },
  // Each pod of the time shown has had an address of its own: a list of them all would make the queries too long.
  { name: 'instance', label: 'Instance', query: `label_values(${ofJob('holdfast_leases_held')}, instance)`, all: WHATEVER },
  { name: 'queue', label: 'Queue', query: `label_values(${ofWorker('holdfast_leases_held')}, queue)` },
];

/**
 * What the dashboards have in common: variables, annotations, and links to one another.
 * @param {{ uid: string, title: string, description: string, rows: Row[], choices?: Choice[] }} board
 */
export function boardOf({ uid, title, description, rows, choices = [] }) {
  const builder = new dashboard.DashboardBuilder(title)
    .uid(uid)
    .description(description)
    .tags(['holdfast'])
    .timezone('browser')
    .time({ from: 'now-1h', to: 'now' })
    .refresh('30s')
    .tooltip(dashboard.DashboardCursorSync.Crosshair)
    .link(new dashboard.DashboardLinkBuilder('Holdfast').type(dashboard.DashboardLinkType.Dashboards).tags(['holdfast']).keepTime(true).includeVars(true))
    .withVariable(new dashboard.DatasourceVariableBuilder('datasource').label('Data source').type('prometheus'))
    .annotation(restarts())
    .annotation(alerts());
  for (const choice of [...CHOICES, ...choices]) builder.withVariable(variable(choice));

  let id = 0;
  for (const row of rows) {
    builder.withRow(new dashboard.RowBuilder(row.title).id(++id));
    for (const panel of row.panels) builder.withPanel({ build: () => ({ ...panel.build(), id: ++id }) });
  }
  return builder.build();
}

/** @param {Choice} choice */
function variable({ name, label, query, all }) {
  const builder = new dashboard.QueryVariableBuilder(name)
    .label(label)
    .datasource(SOURCE)
    .query({ query, refId: name })
    .definition(query)
    .refresh(dashboard.VariableRefresh.OnTimeRangeChanged)
    .sort(dashboard.VariableSort.AlphabeticalAsc)
    .multi(true)
    .includeAll(true)
    .current({ selected: true, text: ['All'], value: ['$__all'] });
  return all === undefined ? builder : builder.allValue(all);
}

// At the moment that the process itself tells, so that new instances show too.
function restarts() {
  return annotation('Restarts', 'blue', `${ofWorker('process_start_time_seconds')} * 1000`)
    .useValueForTime(true)
    .titleFormat('Started')
    .textFormat('{{instance}}');
}

function alerts() {
  return annotation('Firing alerts', 'red', 'ALERTS{alertname=~"Holdfast.+", alertstate="firing"}')
    .titleFormat('{{alertname}}')
    .textFormat('{{queue}} {{instance}}')
    .tagKeys('severity');
}

function annotation(name, color, expr) {
  return new dashboard.AnnotationQueryBuilder()
    .name(name)
    .datasource(SOURCE)
    .enable(true)
    .iconColor(color)
    .expr(expr)
    .step('15s')
    .target(new prometheus.DataqueryBuilder().refId('Anno').expr(expr).range());
}
