import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { withDocker } from './docker.mjs';
import { ROOT } from './manifests.mjs';

/** What `make image` asks of docker and says, where images can be pulled, or are here, or neither. */
function image({ canPull, isHere }) {
  const docker = `echo "$1 $2 $3" >>asked
case $1 in
pull) ${canPull} || { echo 'no registry answers' >&2; exit 1; } ;;
image) ${isHere} ;;
esac`;
  return withDocker(docker, (folder, env) => {
    mkdirSync(join(folder, 'deploy', 'image'), { recursive: true });
    for (const file of ['Dockerfile', 'Directory.Build.props', join('deploy', 'image', 'build')]) cpSync(join(ROOT, file), join(folder, file));
    writeFileSync(join(folder, 'deploy', 'image', 'debian-bases'), 'echo stand-ins >>asked\n');
    const { status, stderr } = spawnSync('bash', ['deploy/image/build'], { cwd: folder, encoding: 'utf8', env });
    assert.equal(status, 0, stderr);
    return { asked: readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n'), said: stderr };
  });
}

const standIns = ({ asked }) => asked.includes('stand-ins');

test("Microsoft's bases are pulled anew, though some are here", () => {
  const made = image({ canPull: true, isHere: true });

  assert.equal(made.asked.filter((line) => line.startsWith('pull -q mcr.microsoft.com/dotnet/')).length, 2);
  assert.equal(standIns(made), false);
  assert.equal(made.said, '');
});

test('bases that are here are taken where they can not be pulled, and that is said', () => {
  const made = image({ canPull: false, isHere: true });

  assert.equal(standIns(made), false);
  assert.match(made.said, /no registry answers[\s\S]*sdk:10\.0 is not pulled anew/);
});

test('others stand in where there are none, and why is said', () => {
  const made = image({ canPull: false, isHere: false });

  assert.equal(standIns(made), true);
  assert.match(made.said, /no registry answers/);
});
