import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDocker } from './docker.mjs';
import { ROOT } from './manifests.mjs';

const STAND_INS = ['rabbitmq', 'prometheus', 'alertmanager'].map((server) => `${server.toUpperCase()}_IMAGE=holdfast-${server}:debian`);

/** Whether `make up` builds the image, on a machine that has one already, and what .env holds then: with these variables, these lines in .env, these bases, and this mode of what the servers read. */
function up({ variables = {}, lines = [], bases = [], mode = 0o644 }) {
  return withDocker('exit 0', (folder, path) => {
    cpSync(join(ROOT, 'deploy', 'compose'), join(folder, 'deploy', 'compose'), { recursive: true });
    for (const server of ['prometheus', 'alertmanager', 'provisioning', 'dashboards']) mkdirSync(join(folder, 'grafana', server), { recursive: true });
    writeFileSync(join(folder, 'grafana', 'prometheus', 'prometheus.yml'), '', { mode });
    mkdirSync(join(folder, 'deploy', 'image'));
    writeFileSync(join(folder, 'deploy', 'image', 'build'), 'touch built\n');
    writeFileSync(join(folder, '.env'), lines.join('\n'));
    execFileSync('bash', ['deploy/compose/up', ...bases], { cwd: folder, stdio: 'pipe', env: { ...path, ...variables } });
    return { builds: existsSync(join(folder, 'built')), env: readFileSync(join(folder, '.env'), 'utf8').trim().split('\n') };
  });
}

const builds = (how) => up(how).builds;

test('passwords that are missing are written beside what is there, and those that are there stay', () => {
  const { env } = up({ lines: ['GRAFANA_PORT=3001', 'RABBITMQ_PASSWORD=first'] });

  assert.deepEqual(env.slice(0, 2), ['GRAFANA_PORT=3001', 'RABBITMQ_PASSWORD=first']);
  assert.match(env[2], /^GRAFANA_PASSWORD=[0-9a-f]{48}$/);
  assert.match(env[3], /^SERVICEBUS_KEY=[0-9a-f]{48}$/);
  assert.equal(env.length, 4);
});

test('a password that was left empty is written too', () => {
  const { env } = up({ lines: ['RABBITMQ_PASSWORD=', 'GRAFANA_PASSWORD=second'] });
  assert.equal(env[0], 'GRAFANA_PASSWORD=second');
  assert.deepEqual(env.slice(1).map((line) => line.replace(/=[0-9a-f]{48}$/, '')), ['RABBITMQ_PASSWORD', 'SERVICEBUS_KEY']);
});

test('configuration that no server could read is told before anything starts, with the cure', () => {
  assert.throws(() => up({ mode: 0o600 }), ({ stderr }) => /grafana\/prometheus\/prometheus\.yml.*chmod -R o\+rX/.test(stderr));
});

test('what stands in for images that cannot be pulled is what compose takes from then on, until they may be pulled again', () => {
  const { env } = up({ bases: ['debian'], lines: ['GRAFANA_PORT=3001', 'PROMETHEUS_IMAGE='] });
  assert.deepEqual(env.filter((line) => line.includes('_IMAGE=holdfast')), STAND_INS);
  assert.deepEqual(up({ bases: ['debian'], lines: env }).env, env);
  assert.deepEqual(up({ lines: env }).env, env.filter((line) => !STAND_INS.includes(line)));
});

test('an image of a server that is named stays, whatever stands in for the others', () => {
  const lines = ['RABBITMQ_IMAGE=registry.example/rabbitmq:4', 'ALERTMANAGER_IMAGE=registry.example/holdfast-alertmanager:debian'];
  for (const bases of [['debian'], []]) {
    const { env } = up({ bases, lines });
    assert.deepEqual(env.filter((line) => lines.includes(line)), lines);
    assert.equal(env.filter((line) => line.includes('_IMAGE=')).length, bases.length ? 3 : 2);
  }
});

test('what is brought up is built from the sources that are here, though an image is there', () => {
  assert.equal(builds({}), true);
  assert.equal(builds({ lines: ['HOLDFAST_IMAGE='] }), true);
});

test('an image that is named is taken as it is', () => {
  assert.equal(builds({ variables: { HOLDFAST_IMAGE: 'registry.example/holdfast:1' } }), false);
  assert.equal(builds({ lines: ['HOLDFAST_IMAGE=registry.example/holdfast:1'] }), false);
});
