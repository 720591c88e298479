import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HERE, KUSTOMIZATIONS, SEVERAL, build, moduleOf, whyNot } from './manifests.mjs';

const skip = whyNot();

/** Wrong values: what the cluster's own schema says of an object. */
async function judge(object) {
  const { [object.kind]: Model } = await import(moduleOf(object));
  new Model(object).validate();
}

/** Misspelt fields: TypeScript knows which there are. Returns what it complains of. */
function complaints(objects) {
  // Inside this folder, so that the types are found.
  const folder = mkdtempSync(join(HERE, 'node_modules', '.manifests-'));
  try {
    const lines = objects.flatMap((object, i) => [
      `import type { I${object.kind} as Type${i} } from "${moduleOf(object)}";`,
      `export const object${i}: Type${i} = ${JSON.stringify(object)};`,
    ]);
    writeFileSync(join(folder, 'objects.ts'), lines.join('\n'));
    const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--moduleResolution', 'nodenext'];
    execFileSync(process.execPath, [join(HERE, 'node_modules', 'typescript', 'bin', 'tsc'), ...options, join(folder, 'objects.ts')], { encoding: 'utf8', stdio: 'pipe' });
    return '';
  } catch (problem) {
    return problem.stdout || problem.message;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

for (const folder of [...KUSTOMIZATIONS, SEVERAL]) {
  test(`${folder} is made of objects that a cluster knows`, { skip }, async () => {
    const objects = build(folder);
    for (const object of objects) await judge(object);
    assert.equal(complaints(objects), '');
  });
}

test('a wrong value and a misspelt field are found', { skip }, async () => {
  const objects = build('deploy/k8s/base');
  const deployment = objects.find(({ kind }) => kind === 'Deployment');

  deployment.spec.template.spec.containers[0].readinesProbe = {};
  assert.match(complaints(objects), /readinesProbe/);

  deployment.spec.template.spec.terminationGracePeriodSeconds = 'sixty';
  await assert.rejects(judge(deployment), /terminationGracePeriodSeconds|must be integer/);
});
