import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { AFTER_DRAIN, KUSTOMIZATIONS, ROOT, build, hasRoom, one, whyNot } from './manifests.mjs';

const skip = whyNot();
const DEFAULT_QUEUE = 'orders';

const podOf = (objects) => one(objects, 'Deployment').spec.template.spec;
const workerOf = (objects) => podOf(objects).containers[0];
const grafana = (name) => readFileSync(join(ROOT, 'grafana', name), 'utf8');
const settingsOf = (objects) => objects.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith('holdfast-settings')).data;

for (const folder of KUSTOMIZATIONS) {
  test(`${folder}: what is draining is done before SIGKILL comes`, { skip }, () => {
    const objects = build(folder);
    const drain = Number(/^(\d+)s$/.exec(settingsOf(objects).Worker__DrainTimeout)[1]);
    assert.ok(drain + AFTER_DRAIN <= podOf(objects).terminationGracePeriodSeconds);
  });

  test(`${folder}: each probe asks its own question`, { skip }, () => {
    const worker = workerOf(build(folder));
    const paths = [worker.startupProbe, worker.livenessProbe, worker.readinessProbe].map(({ httpGet }) => httpGet.path);
    assert.deepEqual(paths, ['/health/startup', '/health/live', '/health/ready']);
    assert.equal(worker.terminationMessagePolicy, 'FallbackToLogsOnError');
  });

  test(`${folder}: as many threads as CPUs are asked for, and no quota that could freeze them`, { skip }, () => {
    const objects = build(folder);
    const { requests, limits } = workerOf(objects).resources;
    assert.equal(settingsOf(objects).Worker__Threads, requests.cpu);
    assert.deepEqual(Object.keys(limits), ['memory']);
  });

  test(`${folder}: the heap has room for all bodies in hand, and the node keeps as much`, { skip }, () => {
    const objects = build(folder);
    const { requests, limits } = workerOf(objects).resources;
    assert.equal(requests.memory, limits.memory);
    const limit = Number(/^(\d+)Mi$/.exec(limits.memory)[1]) * 2 ** 20;
    assert.ok(hasRoom(limit, Number(settingsOf(objects).Worker__MaxBytesInFlight)));
  });

  test(`${folder}: nothing runs as root, writes to the image or has more rights than it needs`, { skip }, () => {
    const pod = podOf(build(folder));
    assert.equal(pod.securityContext.runAsNonRoot, true);
    assert.equal(pod.securityContext.seccompProfile.type, 'RuntimeDefault');
    assert.equal(pod.automountServiceAccountToken, false);
    assert.equal(pod.securityContext.fsGroup, pod.securityContext.runAsGroup);
    for (const { securityContext } of pod.containers) {
      assert.deepEqual(securityContext, { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ['ALL'] } });
    }
  });

  test(`${folder}: no secret stands in it, and all selectors find the pods`, { skip }, () => {
    const objects = build(folder);
    assert.deepEqual(objects.filter(({ kind }) => kind === 'Secret'), []);
    assert.doesNotMatch(JSON.stringify(objects.filter(({ metadata }) => !metadata.name.startsWith('holdfast-dashboard'))), /amqps?:\/\/|SharedAccessKey/);

    const { labels } = one(objects, 'Deployment').spec.template.metadata;
    const selectors = objects.flatMap(({ kind, spec }) =>
      kind === 'NetworkPolicy' ? [spec.podSelector] : ['Deployment', 'PodDisruptionBudget', 'PodMonitor'].includes(kind) ? [spec.selector] : []);
    assert.ok(selectors.length >= 3);
    for (const { matchLabels } of selectors) assert.deepEqual(matchLabels, { 'app.kubernetes.io/name': labels['app.kubernetes.io/name'] });
  });
}

test('each broker is reached by what its overlay says, and only there', { skip }, () => {
  const rabbit = build('deploy/k8s/overlays/rabbitmq');
  assert.equal(settingsOf(rabbit).Worker__Broker, 'RabbitMq');
  assert.deepEqual(workerOf(rabbit).env, [{ name: 'ConnectionStrings__RabbitMq', valueFrom: { secretKeyRef: { name: 'holdfast-rabbitmq', key: 'uri' } } }]);

  const bus = build('deploy/k8s/overlays/servicebus');
  assert.equal(settingsOf(bus).Worker__Broker, 'ServiceBus');
  assert.equal(workerOf(bus).env, undefined);
  assert.equal(one(bus, 'Deployment').spec.template.metadata.labels['azure.workload.identity/use'], 'true');
  assert.ok('azure.workload.identity/client-id' in one(bus, 'ServiceAccount').metadata.annotations);
});

for (const broker of ['rabbitmq', 'servicebus']) {
  test(`who handles the messages of ${broker} is for the user to say`, { skip }, () => {
    assert.equal(settingsOf(build(`deploy/k8s/overlays/${broker}`)).Worker__Handler, undefined);
    const { Worker__Broker, Worker__Handler } = settingsOf(build(`tests/Deploy/kustomizations/${broker}`));
    assert.ok(Worker__Broker && Worker__Handler);
  });

  test(`KEDA alone says how many workers of ${broker} there are`, { skip }, () => {
    const objects = build(`tests/Deploy/kustomizations/${broker}`);
    const scaled = one(objects, 'ScaledObject').spec;
    const deployment = one(objects, 'Deployment');
    assert.equal(deployment.spec.replicas, undefined);
    assert.equal(scaled.scaleTargetRef.name, deployment.metadata.name);
    // A queue without any worker pages.
    assert.ok(scaled.minReplicaCount >= 1);
    for (const { authenticationRef, metadata } of scaled.triggers) {
      one(objects, 'TriggerAuthentication', authenticationRef.name);
      assert.equal(metadata.queueName, settingsOf(objects).Worker__Queue ?? DEFAULT_QUEUE);
    }
  });

  test(`the cluster has the same dashboards as everybody else, and the rules (${broker})`, { skip }, () => {
    const objects = build(`tests/Deploy/kustomizations/${broker}`);
    assert.deepEqual(one(objects, 'PrometheusRule').spec, parse(grafana('prometheus/prometheusrule.yaml')).spec);
    for (const name of ['leases', 'flow', 'runbooks']) {
      const { data, metadata } = one(objects, 'ConfigMap', `holdfast-dashboard-${name}`);
      assert.equal(data[`${name}.json`], grafana(`dashboards/${name}.json`));
      assert.equal(metadata.labels.grafana_dashboard, '1');
      assert.ok(JSON.stringify(data).length < 256 * 1024);
    }
  });
}

test('KEDA asks the namespace that the worker consumes', { skip }, () => {
  const objects = build('tests/Deploy/kustomizations/servicebus');
  const [{ metadata }] = one(objects, 'ScaledObject').spec.triggers;
  assert.equal(`${metadata.namespace}.servicebus.windows.net`, settingsOf(objects).ServiceBus__FullyQualifiedNamespace);
});

test('what no setting reaches is patched as docs/kubernetes.md says', { skip }, () => {
  const page = readFileSync(join(ROOT, 'docs/kubernetes.md'), 'utf8');
  const patches = [...page.matchAll(/```yaml\n([^]*?)```/g)].flatMap(([, text]) => parse(text).patches ?? []);
  assert.deepEqual(parse(readFileSync(join(ROOT, 'tests/Deploy/kustomizations/rabbitmq/kustomization.yaml'), 'utf8')).patches, patches);

  const objects = build('tests/Deploy/kustomizations/rabbitmq');
  const { containers, volumes } = one(objects, 'Deployment').spec.template.spec;
  assert.ok(containers[0].envFrom.some(({ secretRef }) => secretRef?.name === 'holdfast-secrets'));
  assert.ok(volumes.some(({ name, secret }) => name === 'ca' && secret.secretName === 'rabbitmq-ca') && containers[0].volumeMounts.some(({ name, readOnly }) => name === 'ca' && readOnly));
  assert.equal(one(objects, 'ScaledObject').spec.triggers[0].metadata.queueName, 'parcels');
  assert.equal(one(objects, 'TriggerAuthentication').spec.secretTargetRef[0].key, 'uri-of-one-host');
  assert.deepEqual(one(objects, 'TriggerAuthentication').spec.secretTargetRef.map(({ parameter }) => parameter), ['host', 'ca', 'tls']);
  assert.deepEqual(one(objects, 'NetworkPolicy', 'holdfast').spec.ingress[0].from, [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'observability' } } }]);
  for (const kind of ['PodMonitor', 'PrometheusRule']) assert.deepEqual(one(objects, kind).metadata.labels, { release: 'kube-prometheus-stack' });
});

test('the pages say for how long a stop may have to be waited for', () => {
  for (const page of ['container.md', 'kubernetes.md', 'runbooks/drain-timed-out.md', 'runbooks/worker-restarts.md']) {
    assert.match(readFileSync(join(ROOT, 'docs', page), 'utf8'), new RegExp(`the drain and ${AFTER_DRAIN} s\\b`), page);
  }
});

test('the rules for the operator are those of the files for Prometheus', () => {
  const files = ['holdfast.rules.yml', 'holdfast.alerts.yml'].map((name) => parse(grafana(`prometheus/${name}`)));
  assert.deepEqual(parse(grafana('prometheus/prometheusrule.yaml')).spec.groups, files.flatMap((file) => file.groups));
});

test('the alerts look after the job that the pod monitor makes', { skip }, () => {
  const objects = build('tests/Deploy/kustomizations/rabbitmq');
  const { jobLabel, podMetricsEndpoints } = one(objects, 'PodMonitor').spec;
  assert.match(one(objects, 'Deployment').spec.template.metadata.labels[jobLabel], /^holdfast/);
  assert.deepEqual(podMetricsEndpoints.map(({ port }) => port), [workerOf(objects).ports[0].name]);
});
