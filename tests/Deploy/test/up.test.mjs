import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from './manifests.mjs';

/** Whether `make up` builds the image, on a machine that has one already: with these variables, and these lines in .env. */
function builds({ variables = {}, lines = [] }) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-up-'));
  try {
    cpSync(join(ROOT, 'deploy', 'compose'), join(folder, 'deploy', 'compose'), { recursive: true });
    mkdirSync(join(folder, 'deploy', 'image'));
    writeFileSync(join(folder, 'deploy', 'image', 'build'), 'touch built\n');
    writeFileSync(join(folder, 'docker'), '#!/bin/sh\nexit 0\n');
    chmodSync(join(folder, 'docker'), 0o755);
    writeFileSync(join(folder, '.env'), ['RABBITMQ_PASSWORD=first', ...lines, ''].join('\n'));
    execFileSync('bash', ['deploy/compose/up'], { cwd: folder, stdio: 'pipe', env: { PATH: `${folder}${delimiter}${process.env.PATH}`, ...variables } });
    return existsSync(join(folder, 'built'));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('what is brought up is built from the sources that are here, though an image is there', () => {
  assert.equal(builds({}), true);
  assert.equal(builds({ lines: ['HOLDFAST_IMAGE='] }), true);
});

test('an image that is named is taken as it is', () => {
  assert.equal(builds({ variables: { HOLDFAST_IMAGE: 'registry.example/holdfast:1' } }), false);
  assert.equal(builds({ lines: ['HOLDFAST_IMAGE=registry.example/holdfast:1'] }), false);
});
