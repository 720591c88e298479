import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const HERE = fileURLToPath(new URL('..', import.meta.url));

/** Every way to put the worker into a cluster that is tested: a folder, from the root on. */
export const KUSTOMIZATIONS = [
  'deploy/k8s/base',
  'deploy/k8s/overlays/rabbitmq',
  'deploy/k8s/overlays/servicebus',
  'tests/Deploy/kustomizations/rabbitmq',
  'tests/Deploy/kustomizations/servicebus',
];

const PROCESS = 100e6;
const HEAP_PART = 0.75;

/** Whether the heap's part of the memory's limit holds the process, and all bodies in hand twice over. */
export const hasRoom = (limit, inFlight) => PROCESS + 2 * inFlight <= HEAP_PART * limit;

// What a stop may take when the drain is over, one after the other, and where the code bounds it.
const BOUNDS = [
  ['src/Worker/Hosting/WorkerServices.cs', 's_timeToClose'],
  ['src/Worker/Prometheus/LastScrape.cs', 'Longest'],
  ['src/Worker/Otlp/OtlpExport.cs', 'MostMillisecondsToSendTheRest'],
  ['src/Broker.RabbitMq/Connecting/Link.cs', 's_timeToClose'],
  ['src/Consumer/Engine.cs', 'LastPatience'],
  ['src/Consumer/Hosting/EngineHost.cs', 's_lastLines'],
];

/** How many seconds a stop may take beyond the drain. */
export const AFTER_DRAIN = BOUNDS.map(([file, name]) => {
  const [, span, number] = new RegExp(`\\b${name}\\b(?: \\{[^}]*\\})? = (TimeSpan\\.FromSeconds\\()?([\\d_]+)`).exec(readFileSync(join(ROOT, file), 'utf8'));
  return Number(number.replace('_', '')) / (span ? 1 : 1_000);
}).reduce((sum, seconds) => sum + seconds);

/** Several workers in one namespace. */
export const SEVERAL = 'tests/Deploy/kustomizations/several';

/** Why the manifests can't be built here; undefined where they can. */
export function whyNot() {
  try {
    const { kustomizeVersion } = JSON.parse(execFileSync('kubectl', ['version', '--client', '-o', 'json'], { encoding: 'utf8' }));
    // Components came with version 3.7, which kubectl has had since 1.21.
    return kustomizeVersion === undefined ? 'kubectl is older than 1.25 and tells no version of its kustomize' : undefined;
  } catch (problem) {
    return `kubectl can't be run: ${problem.message.split('\n')[0]}`;
  }
}

/** What kubectl makes of a kustomization: its objects. Nothing but objects: a warning is a failure. */
export function build(folder) {
  const text = execFileSync('kubectl', ['kustomize', folder], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  return parseAllDocuments(text).map((document) => document.toJS());
}

/** The one object of a kind, and of that name where there are several. */
export function one(objects, kind, name) {
  const found = objects.filter((object) => object.kind === kind && (name === undefined || object.metadata.name === name));
  if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name ?? ''}`);
  return found[0];
}

/** Where the types of an object's kind are. */
export function moduleOf({ apiVersion, kind }) {
  const group = apiVersion.split('/')[0];
  const root = group === 'keda.sh' ? '@kubernetes-models/keda' : group === 'monitoring.coreos.com' ? '@kubernetes-models/prometheus-operator' : 'kubernetes-models';
  return `${root}/${apiVersion}/${kind}`;
}
