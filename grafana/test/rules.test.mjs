import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { alertsIn } from '../src/alerts.mjs';
import { rulesIn } from '../src/rules.mjs';
import { RUNBOOKS, textOf } from '../src/runbooks.mjs';
import { spans } from '../src/time.mjs';
import { FLOW, LEASES, queriesOf } from './boards.mjs';
import { HERE, run, testWith } from './tools.mjs';

const TESTS = readdirSync(join(HERE, 'prometheus', 'tests')).map((file) => join('prometheus', 'tests', file));
const ALERTS = alertsIn(spans()).flatMap((group) => group.rules);
const RECORDED = rulesIn(spans()).flatMap((group) => group.rules.map((rule) => rule.record));

testWith('promtool', 'Prometheus understands its files', () => {
  run('promtool', 'check', 'rules', 'prometheus/holdfast.rules.yml', 'prometheus/holdfast.alerts.yml');
  run('promtool', 'check', 'config', 'prometheus/prometheus.yml');
});

testWith('amtool', 'Alertmanager understands its file', () => {
  run('amtool', 'check-config', 'alertmanager/alertmanager.yml');
});

testWith('amtool', 'who is on call gets the pages and nothing else', () => {
  const receiverOf = (severity) => run('amtool', 'config', 'routes', 'test', '--config.file=alertmanager/alertmanager.yml', `severity=${severity}`).trim();
  assert.equal(receiverOf('page'), 'page');
  assert.equal(receiverOf('ticket'), 'ticket');
});

for (const file of TESTS) testWith('promtool', `the rules do what ${file} says`, () => run('promtool', 'test', 'rules', file));

test('each alert is shown to fire, to stay silent, and what it does at zero traffic', () => {
  const names = TESTS.flatMap((file) => [...readFileSync(join(HERE, file), 'utf8').matchAll(/^ +- name: (.+)$/gm)].map(([, name]) => name));
  for (const { alert } of ALERTS) {
    for (const kind of [/\bfires?\b/, /\bstays? silent\b/, /\bat zero traffic\b/]) {
      assert.ok(names.some((name) => name.includes(alert) && kind.test(name)), `no test of ${alert} says '${kind.source}'`);
    }
  }
});

test('each alert is in the runbook that it names, and each runbook is named', () => {
  for (const { alert, runbook } of ALERTS) assert.ok(textOf(runbook).includes(`\`${alert}\``), alert);
  assert.deepEqual([...new Set(ALERTS.map((alert) => alert.runbook))].sort(), RUNBOOKS);
});

test('each runbook says what it means, what to look at and what to do, and its links lead to runbooks', () => {
  for (const name of RUNBOOKS) {
    assert.deepEqual([...textOf(name).matchAll(/^## (.+)$/gm)].map(([, heading]) => heading), ['What it means', 'What to look at', 'What to do'], name);
    for (const [, file] of textOf(name).matchAll(/\]\(([^)]+)\)/g)) assert.ok(RUNBOOKS.includes(file.replace('.md', '')), `${name}: ${file}`);
  }
});

// Of a histogram there are buckets, their sum and their count; its name alone is no series, and whoever types it sees nothing and thinks all is well.
test('no query of a runbook asks for a histogram by its name alone', () => {
  const asked = RUNBOOKS.flatMap((name) => [...textOf(name).matchAll(/`([^`\n]+)`/g)].map(([, text]) => `${name}: ${text}`)).filter((query) => /holdfast[_:]|messaging_|dotnet_/.test(query));
  const histograms = new Set([LEASES, FLOW].flatMap(queriesOf).concat(asked).flatMap((query) => query.match(/\w+(?=_bucket\b)/g) ?? []));
  assert.ok(histograms.size > 3);
  for (const query of asked) assert.deepEqual((query.match(/\w+/g) ?? []).filter((word) => histograms.has(word)), [], query);
});

test('what is recorded is asked for, and what is asked for is recorded', () => {
  const asking = [...ALERTS, ...rulesIn(spans()).flatMap((group) => group.rules)].map((rule) => rule.expr).concat([LEASES, FLOW].flatMap(queriesOf));
  const asked = new Set(asking.flatMap((expr) => expr.match(/holdfast:[\w:]+/g) ?? []));
  assert.deepEqual([...asked].sort(), [...RECORDED].sort());
});
