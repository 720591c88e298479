import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { settingsOf } from '../src/settings.mjs';

const PROGRAM = new URL('../broker.mjs', import.meta.url).pathname;

test('options that make no sense are answered with one line, and no stack', async () => {
  for (const [args, sentence] of [
    [['--nope'], /^Unknown option '--nope'/],
    [['--port', 'x'], /^--port takes a whole number/],
    [['--config', '/nowhere.json'], /^--config: '\/nowhere.json' can't be read/],
    [['--tls-cert', 'a'], /^--tls-cert and --tls-key go together/],
    [['--key', 'abc'], /^--key takes a name and a key/],
  ]) {
    await assert.rejects(promisify(execFile)(process.execPath, [PROGRAM, ...args]), ({ code, stderr }) => {
      assert.equal(code, 1);
      assert.match(stderr, sentence);
      assert.equal(stderr.trim().split('\n').length, 1);
      return true;
    });
  }
});

test('a key may itself contain the sign that ends its name', () => {
  assert.deepEqual(settingsOf(['--key', 'a=b=c==']).keys, { a: 'b=c==' });
});

test('the example of entities is one', () => {
  const { entities } = settingsOf(['--config', new URL('../entities.json', import.meta.url).pathname]);
  assert.ok(entities.queues.orders && entities.topics.events.subscriptions.audit);
});
