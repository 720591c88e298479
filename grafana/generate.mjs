// Writes the dashboards, rules and alerts. With --check it writes nothing, and fails where a file is not what it would write.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { dashboardFiles } from './src/dashboards.mjs';
import { prometheusFiles } from './src/prometheus.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const USAGE = 'node generate.mjs [--check] [--speedup=N --out=FOLDER]';

function settingsOf(args) {
  const { values } = parseArgs({ args, options: { check: { type: 'boolean' }, speedup: { type: 'string' }, out: { type: 'string' } } });
  const speedup = Number(values.speedup ?? 1);
  if (!(speedup >= 1)) throw new Error(`--speedup takes a number from 1 on, not '${values.speedup}'`);
  if (speedup > 1 && values.out === undefined) throw new Error('--speedup is for tests: say with --out where its files go');
  return { check: values.check, speedup, out: resolve(values.out ?? HERE) };
}

function isStale(file, text) {
  try {
    return readFileSync(file, 'utf8') !== text;
  } catch {
    return true;
  }
}

function write(file, text) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

try {
  const { check, speedup, out } = settingsOf(process.argv.slice(2));
  for (const [name, text] of Object.entries({ ...dashboardFiles(), ...prometheusFiles(speedup) })) {
    const file = resolve(out, name);
    if (!check) write(file, text);
    else if (isStale(file, text)) {
      console.error(`grafana/${name} is stale: run make format.`);
      process.exitCode = 1;
    }
  }
} catch (problem) {
  console.error(`${problem.message}. ${USAGE}`);
  process.exitCode = 2;
}
