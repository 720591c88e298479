import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { HERE, run } from './tools.mjs';

test('what is committed is what the code makes', () => {
  run(process.execPath, 'generate.mjs', '--check');
});

test("the code that makes dashboards keeps to the types of Grafana's SDK", () => {
  run(process.execPath, join(HERE, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', HERE);
});

test('all spans of time can be shortened for a test, and only there', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-fast-'));
  try {
    run(process.execPath, 'generate.mjs', '--speedup=60', `--out=${folder}`);
    const alerts = readFileSync(join(folder, 'prometheus', 'holdfast.alerts.yml'), 'utf8');
    assert.doesNotMatch(alerts, /(\[|for: |interval: |offset )\d+[smhd]\b/);
    assert.match(alerts, /increase\(holdfast_lease_misses_total\{reason!="drain"\}\[60000ms\]\)/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('options that make no sense are answered with one line', () => {
  for (const [option, sentence] of [['--nope', /Unknown option '--nope'/], ['--speedup=x', /--speedup takes a number/], ['--speedup=60', /--out/]]) {
    assert.throws(() => run(process.execPath, 'generate.mjs', option), ({ message }) => {
      assert.match(message, /ended with 2/);
      assert.match(message, sentence);
      assert.equal(message.trim().split('\n').length, 1);
      return true;
    });
  }
});
