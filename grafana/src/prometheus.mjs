import { alertsIn } from './alerts.mjs';
import { rulesIn } from './rules.mjs';
import { runbookPath, runbookUrl } from './runbooks.mjs';
import { spans } from './time.mjs';
import { yamlOf } from './yaml.mjs';

// The Prometheus operator has rules and alerts in one object.
const OPERATOR = { apiVersion: 'monitoring.coreos.com/v1', kind: 'PrometheusRule', metadata: { name: 'holdfast' } };
const HEADING = ['Made by grafana/generate.mjs; changes belong into grafana/src.'];

/** Prometheus's files: what they are called, and what stands in them. */
export function prometheusFiles(speedup = 1) {
  const span = spans(speedup);
  const rules = rulesIn(span);
  const alerts = alertsIn(span).map(asPrometheusHasIt);
  return {
    'prometheus/holdfast.rules.yml': yamlOf({ groups: rules }, HEADING),
    'prometheus/holdfast.alerts.yml': yamlOf({ groups: alerts }, HEADING),
    'prometheus/prometheusrule.yaml': yamlOf({ ...OPERATOR, spec: { groups: [...rules, ...alerts] } }, HEADING),
  };
}

function asPrometheusHasIt(group) {
  const rules = group.rules.map(({ alert, expr, for: wait, severity, runbook, summary, description }) => ({
    alert,
    expr,
    for: wait,
    labels: { severity },
    annotations: { summary, description, runbook: runbookPath(runbook), runbook_url: runbookUrl(runbook) },
  }));
  return { ...group, rules };
}
