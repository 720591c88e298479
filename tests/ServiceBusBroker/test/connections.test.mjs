import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import rhea from 'rhea';
import WebSocket from 'ws';
import { Raw } from './raw.mjs';
import { KEY, Running, take } from './running.mjs';

const run = promisify(execFile);

let broker;
let folder;
let certificate;

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-servicebus-'));
  certificate = join(folder, 'cert.pem');
  const key = join(folder, 'key.pem');
  await run('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-keyout', key, '-out', certificate, '-days', '2', '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']);
  broker = await Running.start('--ws', '--tls-cert', certificate, '--tls-key', key, '--idle-timeout', '60000');
});

after(async () => {
  await broker.stop();
  rmSync(folder, { recursive: true });
});

async function exchange(port, overWebSockets) {
  const queue = await broker.queue();
  const connectionString = `Endpoint=sb://localhost/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=${KEY}`;
  const client = new URL('exchange.mjs', import.meta.url).pathname;
  const { stdout } = await run(process.execPath, [client, JSON.stringify({ connectionString, queue, endpoint: `sb://localhost:${port}`, overWebSockets })], { env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate } });
  return stdout;
}

async function open() {
  const queue = await broker.queue();
  const client = broker.client();
  return { queue, client, sender: client.createSender(queue), receiver: client.createReceiver(queue) };
}

test('a client speaks over TLS', async () => {
  assert.equal(await exchange(broker.ports.amqps, false), 'hello');
});

test('a client speaks over WebSockets', async () => {
  assert.equal(await exchange(broker.ports.wss, true), 'hello');
});

test('a client speaks over WebSockets without TLS, but only by the protocol AMQPWSB10', async () => {
  const connect = rhea.websocket_connect(WebSocket);
  const connection = rhea.create_container().connect({ connection_details: connect(`ws://127.0.0.1:${broker.ports.ws}/$servicebus/websocket`, ['AMQPWSB10']), username: 'anyone', reconnect: false });
  await once(connection, 'connection_open');
  connection.close();
  await once(connection, 'connection_close');
  const other = new WebSocket(`ws://127.0.0.1:${broker.ports.ws}/$servicebus/websocket`, ['mqtt']);
  await once(other, 'error');
});

test('many clients are served at once, each on its own connection', async () => {
  const queue = await broker.queue();
  const before = (await broker.stats()).openConnections;
  const clients = [...Array(10)].map(() => broker.client());
  await Promise.all(clients.map((client, i) => client.createSender(queue).sendMessages({ body: i })));
  assert.equal((await broker.stats()).openConnections, before + 10);
  const bodies = (await Promise.all(clients.map((client) => take(client.createReceiver(queue))))).map(({ body }) => body);
  assert.deepEqual(
    bodies.sort((a, b) => a - b),
    [...Array(10).keys()],
  );
});

for (const level of ['socket', 'connection', 'session', 'link'])
  test(`a subscriber comes back after its ${level} was cut, and what it held it still holds`, async () => {
    const queue = await broker.queue();
    const client = broker.client(undefined, { retryOptions: { maxRetries: 3, retryDelayInMs: 50, timeoutInMs: 10_000 } });
    const seen = [];
    const saw = new EventEmitter();
    client.createReceiver(queue).subscribe(
      {
        processMessage: async ({ body }) => {
          seen.push(body);
          saw.emit(body);
        },
        processError: async () => {},
      },
      { autoCompleteMessages: false, maxConcurrentCalls: 2, maxAutoLockRenewalDurationInMs: 0 },
    );
    const [first, second] = [once(saw, 'first'), once(saw, 'second')];
    await broker.client().createSender(queue).sendMessages({ body: 'first' });
    await first;
    assert.ok((await broker.control('POST', 'cut', { level, entity: queue })).cut > 0);
    await broker.client().createSender(queue).sendMessages({ body: 'second' });
    await second;
    assert.deepEqual(seen, ['first', 'second']);
    assert.equal((await broker.counts(queue)).locked, 2);
  });

test('what a client whose socket is gone had asked for is given to others', async () => {
  const queue = await broker.queue();
  const lost = await Raw.connect(broker.ports.amqp);
  await lost.authorize(KEY);
  const receiver = await lost.receiver(queue);
  receiver.add_credit(100);
  receiver.drain = true;
  await once(receiver, 'receiver_drained');
  receiver.drain = false;
  receiver.add_credit(100);
  await broker.control('POST', 'cut', { level: 'socket', entity: queue });
  await broker.client().createSender(queue).sendMessages({ body: 'a' });
  assert.equal((await take(broker.client().createReceiver(queue))).body, 'a');
});

test('links are detached when their token is over', async () => {
  const { queue } = await open();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY, { until: Date.now() + 60_000 });
  const receiver = await client.receiver(queue);
  const ended = once(receiver, 'receiver_error');
  await broker.advance(61_000);
  await ended;
  assert.equal(receiver.error.condition, 'amqp:unauthorized-access');
  client.close();
});

test('a token that is renewed in time keeps its links', async () => {
  const { queue, sender } = await open();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY, { until: Date.now() + 120_000 });
  const receiver = await client.receiver(queue);
  await client.authorize(KEY, { until: Date.now() + 900_000 });
  await broker.advance(120_000);
  await sender.sendMessages({ body: 'a' });
  receiver.add_credit(1);
  await once(receiver, 'message');
  client.close();
});

test('a broker that was away is back with all it had', async () => {
  const { queue, sender } = await open();
  await sender.sendMessages({ body: 'a' });
  await broker.control('POST', 'listening', { enabled: false });
  await assert.rejects(take(broker.client().createReceiver(queue)));
  await broker.control('POST', 'listening', { enabled: true });
  assert.equal((await take(broker.client().createReceiver(queue))).body, 'a');
});

test('a queue that is deleted takes its links along', async () => {
  const queue = await broker.queue();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY);
  const receiver = await client.receiver(queue);
  const ended = once(receiver, 'receiver_error');
  await broker.control('DELETE', `queues/${queue}`);
  await ended;
  assert.equal(receiver.error.condition, 'amqp:resource-deleted');
  await assert.rejects(client.receiver(queue), { condition: 'amqp:not-found' });
  client.close();
});

test('the broker tells how long it bears silence', async () => {
  const client = await Raw.connect(broker.ports.amqp);
  assert.equal(client.connection.idle_time_out, 60_000);
  client.close();
});

test('nonsense instead of AMQP ends its connection, and nothing else', async () => {
  const { connect } = await import('node:net');
  const { sender, receiver } = await open();
  const socket = connect(broker.ports.amqp, '127.0.0.1');
  socket.on('error', () => {});
  socket.end('GET / HTTP/1.1\r\n\r\n');
  await once(socket.resume(), 'close');
  await sender.sendMessages({ body: 'a' });
  assert.equal((await take(receiver)).body, 'a');
});

test('the broker ends with its parent', async () => {
  const own = await Running.start();
  assert.equal(await own.stop(), 0);
});
