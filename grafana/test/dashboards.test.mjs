import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FLOW, LEASES, RUNBOOKS, asked, panelsOf, queriesOf, variablesOf } from './boards.mjs';
import { run, testWith } from './tools.mjs';

const BOARDS = [LEASES, FLOW];

test('every panel has a unit, a meaning, something to do, thresholds and queries', () => {
  for (const panel of BOARDS.flatMap(panelsOf)) {
    const { unit, thresholds } = panel.fieldConfig.defaults;
    assert.ok(unit, panel.title);
    assert.ok(panel.description.length > 80 && panel.description.split(/[.:;?] /).length > 1, `${panel.title}: ${panel.description}`);
    assert.equal(thresholds.steps[0].value, null, panel.title);
    assert.ok(panel.targets.length > 0, panel.title);
  }
});

test("every panel's link leads to a panel of the runbooks, which bears the runbook's name", () => {
  for (const panel of BOARDS.flatMap(panelsOf)) {
    const [link] = panel.links;
    const [, board, id] = /^\/d\/([\w-]+)\?viewPanel=panel-(\d+)$/.exec(link.url);
    assert.equal(board, RUNBOOKS.uid);
    assert.equal(link.title, `Runbook: ${RUNBOOKS.panels.find((runbook) => runbook.id === Number(id)).title}`, panel.title);
  }
});

test('nothing has the number of something else, and no two panels share a title', () => {
  for (const board of [...BOARDS, RUNBOOKS]) {
    const ids = board.panels.map((panel) => panel.id);
    assert.ok(ids.every((id) => id > 0));
    assert.equal(new Set(ids).size, ids.length);
    assert.equal(new Set(board.panels.map((panel) => panel.title)).size, ids.length);
  }
});

test('panels lie within the grid, and on nobody else', () => {
  for (const board of [...BOARDS, RUNBOOKS]) {
    const taken = new Set();
    for (const { title, gridPos: { x, y, w, h } } of board.panels) {
      assert.ok(x + w <= 24, title);
      for (let column = x; column < x + w; column++) {
        for (let row = y; row < y + h; row++) {
          assert.ok(!taken.has(`${column},${row}`), `${title} covers another panel`);
          taken.add(`${column},${row}`);
        }
      }
    }
  }
});

test('one can choose data source, namespace, job, instance, queue and RabbitMQ, and sees restarts and firing alerts', () => {
  for (const [board, more] of [[LEASES, []], [FLOW, ['rabbitmq']]]) {
    assert.deepEqual(variablesOf(board).map(({ name }) => name), ['datasource', 'namespace', 'job', 'instance', 'queue', ...more]);
    assert.deepEqual(board.annotations.list.map((annotation) => annotation.name), ['Restarts', 'Firing alerts']);
    for (const target of panelsOf(board).flatMap((panel) => panel.targets)) assert.equal(target.datasource.uid, '${datasource}');
  }
});

test('what is chosen holds for every query, and every choice after it', () => {
  for (const expr of BOARDS.flatMap(queriesOf)) {
    for (const [, metric, chosen] of expr.matchAll(/(\w*)\{([^}]*)\}/g)) {
      if (metric === 'ALERTS') continue;
      assert.match(chosen, metric.startsWith('rabbitmq_') ? /^job=~"\$rabbitmq"/ : /^namespace=~"\$namespace", job=~"\$job"/, expr);
    }
    assert.doesNotMatch(expr, /\brabbitmq_\w+(?![\w{])/, expr);
  }
  for (const { query: { query } } of BOARDS.flatMap(variablesOf).filter(({ name }) => ['job', 'instance', 'queue'].includes(name))) assert.match(query, /\{namespace=~"\$namespace"/);
});

test('all namespaces are also those of workers that have none, and all instances no list', () => {
  for (const board of BOARDS) {
    const all = Object.fromEntries(variablesOf(board).map(({ name, allValue }) => [name, allValue]));
    assert.deepEqual([all.namespace, all.instance], ['.*', '.*']);
    // Other people's jobs and queues are none of ours.
    assert.deepEqual([all.job, all.queue], [undefined, undefined]);
  }
});

test('a queue of RabbitMQ is told apart from those of its name in other virtual hosts', () => {
  const queries = queriesOf(FLOW).filter((expr) => expr.includes('rabbitmq_queue_'));
  assert.equal(queries.length, 4);
  for (const expr of queries) assert.match(expr, /^sum by \(vhost, queue\)/);
});

test("counters are not asked for as they stand, and levels not for their rate", () => {
  for (const expr of BOARDS.flatMap(queriesOf)) {
    for (const [, series] of expr.matchAll(/(?:rate|increase)\((\w+)/g)) assert.match(series, /_(total|bucket|count|sum)$/, expr);
    assert.doesNotMatch(expr.replaceAll(/(rate|increase)\(\w+\{[^}]*\}\[[^\]]+\]\)/g, ''), /\w+_(total|bucket|count|sum)\{/, expr);
    assert.doesNotMatch(expr, /rate\([^)]*queue_length/);
  }
});

test('what counts in bars and heatmaps counts each event once', () => {
  const counting = BOARDS.flatMap(panelsOf).filter((panel) => panel.type === 'heatmap' || panel.fieldConfig.defaults.custom?.drawStyle === 'bars');
  assert.ok(counting.length >= 8);
  for (const panel of counting) {
    assert.equal(panel.interval, '1m', panel.title);
    for (const { expr } of panel.targets) assert.match(expr, /rate\(.*\[\$__rate_interval\]\) \* \$__interval_ms \/ 1000/, panel.title);
  }
  for (const expr of BOARDS.flatMap(queriesOf)) assert.doesNotMatch(expr, /increase\([^)]*\$__rate_interval/);
});

test('exemplars are asked for where there are some', () => {
  for (const { expr, exemplar } of BOARDS.flatMap(panelsOf).flatMap((panel) => panel.targets)) assert.ok(!exemplar || !expr.includes('holdfast_lane_'), expr);
});

test('quantiles of nothing are dropped, not shown as NaN', () => {
  for (const expr of BOARDS.flatMap(queriesOf).filter((query) => query.includes('histogram_quantile'))) assert.match(expr, /\) >= 0$/);
});

testWith('promtool', 'Prometheus understands every query', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-queries-'));
  try {
    const file = join(folder, 'queries.yml');
    const rules = BOARDS.flatMap(queriesOf).map((expr, index) => ({ record: `query:number:${index}`, expr: asked(expr) }));
    writeFileSync(file, JSON.stringify({ groups: [{ name: 'queries', rules }] }));
    run('promtool', 'check', 'rules', file);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
