import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { ROOT, SEVERAL, build, one, whyNot } from './manifests.mjs';

const skip = whyNot();
const WORKERS = { letters: 'servicebus', orders: 'rabbitmq', parcels: 'rabbitmq' };
const SHARED = ['holdfast-shop'];

const read = (folder) => parse(readFileSync(join(ROOT, SEVERAL, folder, 'kustomization.yaml'), 'utf8'));
const podsOf = (deployment) => deployment.spec.template;
const finds = ({ matchLabels }, { metadata }) => Object.entries(matchLabels).every(([name, value]) => metadata.labels[name] === value);

/** What picks pods by their labels, but what is meant for all workers. */
const selectorsIn = (objects) =>
  objects
    .filter(({ metadata }) => !SHARED.includes(metadata.name))
    .flatMap(({ kind, metadata, spec }) =>
      kind === 'NetworkPolicy' ? [{ of: metadata.name, selector: spec.podSelector }]
      : kind === 'PodDisruptionBudget' ? [{ of: metadata.name, selector: spec.selector }]
      : kind === 'Deployment' ? [spec.selector, ...podsOf({ spec }).spec.topologySpreadConstraints.map(({ labelSelector }) => labelSelector)].map((selector) => ({ of: metadata.name, selector }))
      : []);

test('whatever picks pods picks those of one worker', { skip }, () => {
  const objects = build(SEVERAL);
  const workers = objects.filter(({ kind }) => kind === 'Deployment');
  assert.deepEqual(workers.map(({ metadata }) => metadata.name).sort(), Object.keys(WORKERS).map((name) => `holdfast-${name}`));

  // Of each worker: the Deployment, how it is spread over nodes and zones, the budget, and two policies.
  const selectors = selectorsIn(objects);
  assert.equal(selectors.length, 6 * workers.length);
  for (const { of, selector } of selectors) {
    const found = workers.filter((worker) => finds(selector, podsOf(worker))).map(({ metadata }) => metadata.name.slice('holdfast-'.length));
    assert.equal(found.length, 1, `${of} finds ${found}`);
    assert.ok(of.endsWith(`-${found[0]}`), `${of} finds ${found}`);
  }
});

test('each worker is watched, and may do what all may, by one object for all', { skip }, () => {
  const objects = build(SEVERAL);
  for (const worker of objects.filter(({ kind }) => kind === 'Deployment')) {
    assert.ok(finds(one(objects, 'PodMonitor').spec.selector, podsOf(worker)));
    assert.ok(finds(one(objects, 'NetworkPolicy', ...SHARED).spec.podSelector, podsOf(worker)));
  }
});

for (const [name, broker] of Object.entries(WORKERS)) {
  test(`KEDA scales ${name} by its own queue, and asks with its own credentials`, { skip }, () => {
    const objects = build(SEVERAL);
    const { scaleTargetRef, triggers } = one(objects, 'ScaledObject', `holdfast-${name}`).spec;
    const worker = one(objects, 'Deployment', scaleTargetRef.name);
    const settings = one(objects, 'ConfigMap', podsOf(worker).spec.containers[0].envFrom[0].configMapRef.name).data;

    assert.equal(worker.metadata.name, `holdfast-${name}`);
    assert.equal(podsOf(worker).spec.serviceAccountName, one(objects, 'ServiceAccount', `holdfast-${name}`).metadata.name);
    assert.equal(triggers.length, 1);
    assert.equal(one(objects, 'TriggerAuthentication', triggers[0].authenticationRef.name).metadata.name, `holdfast-${broker}-${name}`);
    assert.deepEqual([triggers[0].metadata.queueName, settings.Worker__Queue], [name, name]);
  });
}

test('a secret that is generated is found under its new name by the worker and by KEDA', { skip }, () => {
  const objects = build(SEVERAL);
  const { name } = one(objects, 'Secret').metadata;
  assert.match(name, /^holdfast-rabbitmq-orders-\w+$/);
  assert.equal(podsOf(one(objects, 'Deployment', 'holdfast-orders')).spec.containers[0].env[0].valueFrom.secretKeyRef.name, name);
  assert.equal(one(objects, 'TriggerAuthentication', 'holdfast-rabbitmq-orders').spec.secretTargetRef[0].name, name);
});

test('a worker whose handlers take longer than the drain is scaled by what is in hand too, as docs/kubernetes.md says', { skip }, () => {
  const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const patches = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => parse(text)).find(Array.isArray);
  assert.deepEqual(read('parcels').patches.slice(1), patches);

  const objects = build(SEVERAL);
  const [{ metadata }] = one(objects, 'ScaledObject', 'holdfast-parcels').spec.triggers;
  assert.deepEqual([metadata.protocol, metadata.value], ['http', '280']);
  assert.equal(one(objects, 'TriggerAuthentication', 'holdfast-rabbitmq-parcels').spec.secretTargetRef[0].key, 'management-uri');
});

test('several workers are put beside each other as docs/kubernetes.md says', () => {
  const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const blocks = [...page.matchAll(/```yaml\n([^]*?)```/g)].map(([, text]) => parse(text));
  const { nameSuffix, labels } = read('parcels');
  const inner = blocks.find((block) => block.nameSuffix);
  assert.deepEqual({ nameSuffix: inner.nameSuffix, labels: inner.labels }, { nameSuffix, labels });

  const outer = blocks.find(({ resources }) => resources?.includes('parcels'));
  const { resources, components } = read('.');
  assert.ok(outer.resources.every((resource) => resources.includes(resource)));
  assert.deepEqual(outer.components.map((component) => component.split('/').at(-1)), components.map((component) => component.split('/').at(-1)));
});
