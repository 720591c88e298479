import assert from 'node:assert/strict';
import { once } from 'node:events';
import { afterEach, before, after, test } from 'node:test';
import { Raw } from './raw.mjs';
import { KEY, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
afterEach(() => broker.control('DELETE', 'faults'));
after(() => broker.stop());

async function open({ timeoutInMs = 10_000, ...settings } = {}) {
  const queue = await broker.queue(settings);
  const client = broker.client(undefined, { retryOptions: { maxRetries: 0, timeoutInMs } });
  return { queue, client, sender: client.createSender(queue), receiver: client.createReceiver(queue) };
}

async function holding(options) {
  const all = await open(options);
  await all.sender.sendMessages({ body: 'a' });
  return { ...all, message: await take(all.receiver) };
}

/** Sends twice, the second time with a fault, and tells how often it was answered and how many messages are there. */
async function sendTwice(effect) {
  const { queue } = await open();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY);
  const sender = await client.sender(queue);
  let answers = 0;
  sender.on('settled', () => answers++);
  sender.send({ body: 'a' });
  await once(sender, 'settled');
  await broker.fault({ operation: 'send', effect });
  sender.send({ body: 'b' });
  // The broker takes up what this connection asks for in its order.
  await client.authorize(KEY);
  client.close();
  return { answers, active: (await broker.counts(queue)).active };
}

test('an operation that is to fail fails as often as it is told, and then works', async () => {
  const { receiver, message } = await holding();
  await broker.fault({ operation: 'renew-lock', effect: 'fail', times: 2, condition: 'com.microsoft:timeout', status: 408, description: 'Not today.' });
  await assert.rejects(receiver.renewMessageLock(message), { code: 'ServiceTimeout', message: /Not today/ });
  await assert.rejects(receiver.renewMessageLock(message), { code: 'ServiceTimeout' });
  await receiver.renewMessageLock(message);
});

test('a busy broker says so to requests, senders, settlers and those who attach', async () => {
  const { queue, client, sender, receiver, message } = await holding();
  for (const operation of ['renew-lock', 'send', 'settle', 'attach']) await broker.fault({ operation, effect: 'server-busy', entity: queue });
  await assert.rejects(receiver.renewMessageLock(message), { code: 'ServiceBusy' });
  await assert.rejects(sender.sendMessages({ body: 'b' }), { code: 'ServiceBusy' });
  await assert.rejects(receiver.completeMessage(message), { code: 'ServiceBusy' });
  await assert.rejects(take(client.createReceiver(queue)), { code: 'ServiceBusy' });
  assert.deepEqual(await broker.counts(queue), { active: 0, locked: 1, deferred: 0, scheduled: 0, deadLettered: 0 });
});

test('a fault is meant for one entity only, where it names one', async () => {
  const { queue, sender } = await open();
  await broker.fault({ operation: 'send', effect: 'fail', entity: 'another' });
  await sender.sendMessages({ body: 'a' });
  assert.equal((await broker.counts(queue)).active, 1);
});

test('what is silent is not done, and not answered', async () => {
  assert.deepEqual(await sendTwice('silent'), { answers: 1, active: 1 });
});

test('what loses its reply is done, but not answered', async () => {
  assert.deepEqual(await sendTwice('lost-reply'), { answers: 1, active: 2 });
});

test('what is delayed is done later, by the broker\'s clock', async () => {
  const { queue, receiver, message } = await holding();
  await broker.fault({ operation: 'settle', effect: 'delay', milliseconds: 30_000, times: 1 });
  const completing = receiver.completeMessage(message);
  // A request on the same connection is answered after what came before it has been taken in.
  await receiver.renewMessageLock(message);
  assert.equal((await broker.counts(queue)).locked, 1);
  await broker.advance(30_000);
  await completing;
  assert.equal((await broker.counts(queue)).locked, 0);
});

test('a settlement that comes too late by its delay is refused', async () => {
  const { receiver, message } = await holding({ lockDuration: 20_000 });
  await broker.fault({ operation: 'settle', effect: 'delay', milliseconds: 30_000, times: 1 });
  const completing = receiver.completeMessage(message);
  await receiver.peekMessages(1);
  const refused = assert.rejects(completing, { code: 'MessageLockLost' });
  await broker.advance(30_000);
  await refused;
});

test('an attach can be left unanswered', async () => {
  const { queue } = await open();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY);
  await broker.fault({ operation: 'attach', effect: 'silent', entity: queue });
  const session = client.connection.create_session();
  session.open();
  let answered = false;
  session.open_receiver(queue).on('receiver_open', () => (answered = true));
  // The broker takes up what this connection asks for in its order.
  await client.authorize(KEY);
  assert.equal(answered, false);
  client.close();
});

test('tokens can be refused', async () => {
  const { receiver } = await open();
  await broker.fault({ operation: 'put-token', effect: 'fail', condition: 'amqp:unauthorized-access', status: 401 });
  await assert.rejects(take(receiver), { code: 'UnauthorizedAccess' });
});

test('an operation can cut its connection', async () => {
  const { queue, receiver, message } = await holding({ timeoutInMs: 2_000 });
  const before = (await broker.stats()).openConnections;
  await broker.fault({ operation: 'settle', effect: 'cut', times: 1 });
  await assert.rejects(receiver.completeMessage(message));
  assert.equal((await broker.stats()).openConnections, before - 1);
  assert.equal((await broker.counts(queue)).locked, 1);
});

test('a request can be answered with nonsense', async () => {
  const { queue } = await holding();
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY);
  await broker.fault({ operation: 'peek-message', effect: 'nonsense' });
  const answer = await client.request(`${queue}/$management`, { operation: 'com.microsoft:peek-message' }, { 'from-sequence-number': client.container.types.wrap_long(1), 'message-count': client.container.types.wrap_int(1) });
  assert.equal(answer.body, 'nonsense');
  client.close();
});

test('a fault that means nothing is refused', async () => {
  await assert.rejects(broker.fault({ operation: 'send', effect: 'explode' }), /400/);
  await assert.rejects(broker.fault({ effect: 'fail' }), /400/);
});

test('operations are counted', async () => {
  const { receiver, message } = await holding();
  await broker.control('DELETE', 'stats');
  await receiver.renewMessageLock(message);
  await receiver.completeMessage(message);
  const { counts } = await broker.stats();
  assert.equal(counts['renew-lock'], 1);
  assert.equal(counts['renewed-locks'], 1);
  assert.equal(counts['settle/complete'], 1);
});
