import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { AFTER_DRAIN, ROOT, build, hasRoom, one, whyNot } from './manifests.mjs';

const SECRETS = { RABBITMQ_PASSWORD: 'first', GRAFANA_PASSWORD: 'second', SERVICEBUS_KEY: 'third' };
const WORKERS = ['worker', 'worker-servicebus'];
const DRAIN = 20;
const DEFAULT_IN_FLIGHT = 256 * 2 ** 20;

const compose = [['docker-compose'], ['docker', 'compose']].find(works);
const skip = compose ? undefined : 'there is no docker-compose; bash .ci/install brings it';

function works([program, ...first]) {
  try {
    execFileSync(program, [...first, 'version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** What compose makes of the file, all profiles among it, with these variables. */
function config(variables) {
  const [program, ...first] = compose;
  const args = [...first, '--file', 'docker-compose.yml', '--profile', 'servicebus', 'config'];
  return parse(execFileSync(program, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', env: { PATH: process.env.PATH, HOME: process.env.HOME, ...variables } }));
}

const seconds = (duration) => [...duration.matchAll(/(\d+)(m|s)/g)].reduce((sum, [, count, unit]) => sum + count * { m: 60, s: 1 }[unit], 0);
// As it was written, or as a number of bytes: that depends on compose's version.
const bytes = (size) => Number.parseInt(size, 10) * (`${size}`.endsWith('m') ? 2 ** 20 : 1);
const addressOf = (port) => typeof port === 'string' ? port : `${port.host_ip}:${port.published}:${port.target}`;

test('compose understands the file', { skip }, () => {
  assert.deepEqual(Object.keys(config(SECRETS).services).sort(), ['alertmanager', 'grafana', 'prometheus', 'rabbitmq', 'servicebus', 'worker', 'worker-servicebus']);
});

test('compose asks for each secret, and says where it comes from', { skip }, () => {
  for (const secret of Object.keys(SECRETS)) {
    assert.throws(() => config({ ...SECRETS, [secret]: '' }), ({ stderr }) => stderr.includes(secret) && stderr.includes('make up'));
  }
});

test('no port is open to others, and no password is one that anybody knows', { skip }, () => {
  const { services } = config(SECRETS);
  const ports = Object.values(services).flatMap((service) => service.ports ?? []).map(addressOf);
  assert.ok(ports.length >= 6);
  for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
  assert.equal(services.rabbitmq.environment.RABBITMQ_DEFAULT_PASS, 'first');
  assert.equal(services.grafana.environment.GF_SECURITY_ADMIN_PASSWORD, 'second');
});

test('a worker on a real broker is told who handles its messages', { skip }, () => {
  const { services } = config(SECRETS);
  for (const worker of WORKERS) assert.equal(services[worker].environment.Worker__Handler, 'Demo');
});

test('a worker has as few rights as in Kubernetes, and as much time to stop as it needs', { skip: skip ?? whyNot() }, () => {
  const { services } = config(SECRETS);
  const pod = one(build('deploy/k8s/base'), 'Deployment').spec.template.spec.containers[0];
  for (const worker of WORKERS.map((service) => services[service])) {
    assert.equal(worker.read_only, pod.securityContext.readOnlyRootFilesystem);
    assert.deepEqual(worker.cap_drop, pod.securityContext.capabilities.drop);
    assert.deepEqual(worker.security_opt, ['no-new-privileges:true']);
    assert.ok(DRAIN + AFTER_DRAIN <= seconds(worker.stop_grace_period));
    assert.equal(worker.cpus ?? worker.cpu_quota ?? worker.deploy?.resources?.limits?.cpus, undefined);
  }
});

test('the heap has room for all bodies in hand, as in Kubernetes', { skip }, () => {
  const { services } = config(SECRETS);
  for (const { mem_limit, environment } of WORKERS.map((service) => services[service])) {
    assert.ok(hasRoom(bytes(mem_limit), Number(environment.Worker__MaxBytesInFlight ?? DEFAULT_IN_FLIGHT)));
  }
});

test('whatever it depends on is healthy first', { skip }, () => {
  const { services } = config(SECRETS);
  for (const [needed, needs] of [['rabbitmq', 'worker'], ['servicebus', 'worker-servicebus'], ['prometheus', 'grafana']]) {
    assert.equal(services[needs].depends_on[needed].condition, 'service_healthy');
    assert.ok(services[needed].healthcheck.test.length > 0);
  }
});

test('Prometheus finds every service by the name it has there', () => {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const { alerting, scrape_configs } = parse(readFileSync(join(ROOT, 'grafana/prometheus/prometheus.yml'), 'utf8'));
  const targets = [...alerting.alertmanagers, ...scrape_configs].flatMap((job) => [...(job.static_configs ?? []).flatMap(({ targets }) => targets), ...(job.dns_sd_configs ?? []).flatMap(({ names }) => names)]);
  assert.deepEqual(targets.map((target) => target.split(':')[0]).sort(), ['alertmanager', 'rabbitmq', 'worker', 'worker-servicebus']);
  for (const target of targets) assert.ok(target.split(':')[0] in services);
});

test('Prometheus keeps what it scrapes for longer than any rule looks back', () => {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const [, kept] = /--storage\.tsdb\.retention\.time=(\d+)d/.exec(services.prometheus.command.join(' ')) ?? [, 15];
  const rules = readFileSync(join(ROOT, 'grafana/prometheus/holdfast.rules.yml'), 'utf8');
  const days = [...rules.matchAll(/\[(\d+)([mhd])\]/g)].map(([, count, unit]) => count / { m: 1440, h: 24, d: 1 }[unit]);
  assert.ok(kept > Math.max(...days), `${kept} days are kept, and a rule looks back for ${Math.max(...days)}`);
});

test('rules, dashboards and the rest come from grafana/, as everywhere', () => {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true });
  const mounts = Object.values(services).flatMap(({ volumes = [] }) => volumes).filter((volume) => volume.startsWith('./'));
  assert.deepEqual(mounts.sort(), [
    './grafana/alertmanager:/etc/alertmanager:ro',
    './grafana/dashboards:/var/lib/grafana/dashboards/holdfast:ro',
    './grafana/prometheus:/etc/prometheus:ro',
    './grafana/provisioning:/etc/grafana/provisioning:ro',
  ]);
});
