import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';

/** Acts in a folder of its own, in which this shell script is docker, with the variables by which it is found. */
export function withDocker(script, act) {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-deploy-'));
  try {
    writeFileSync(join(folder, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return act(folder, { PATH: `${folder}${delimiter}${process.env.PATH}` });
  } finally {
    rmSync(folder, { recursive: true });
  }
}
