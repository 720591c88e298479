import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

/** The folder of all this. */
export const HERE = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program there, and returns what it wrote; what it complains of is the error. */
export function run(program, ...args) {
  try {
    return execFileSync(program, args, { cwd: HERE, encoding: 'utf8', stdio: 'pipe' });
  } catch (problem) {
    if (problem.status === undefined) throw problem;
    throw new Error(`${program} ended with ${problem.status}: ${problem.stdout}${problem.stderr}`);
  }
}

/** A test that needs a program: skipped where that is missing, but not in CI, where nobody would notice. */
export function testWith(program, name, body) {
  test(name, { skip: process.env.CI !== 'true' && !isThere(program) && `${program} is missing; bash .ci/install brings it.` }, body);
}

function isThere(program) {
  try {
    run(program, '--version');
    return true;
  } catch {
    return false;
  }
}
