import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nothing, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings) {
  const queue = await broker.queue({ requiresSession: true, lockDuration: 30_000, ...settings });
  const client = broker.client();
  return { queue, client, sender: client.createSender(queue) };
}

const bodies = (messages) => messages.map(({ body }) => body);

test('a session is accepted by its name, and gives its own messages only, in order', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages([
    { body: 'a1', sessionId: 'a' },
    { body: 'b1', sessionId: 'b' },
    { body: 'a2', sessionId: 'a' },
  ]);
  const session = await client.acceptSession(queue, 'a');
  assert.equal(session.sessionId, 'a');
  assert.ok(session.sessionLockedUntilUtc > new Date());
  const messages = await session.receiveMessages(2, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(bodies(messages), ['a1', 'a2']);
  assert.equal(messages[0].sessionId, 'a');
  for (const message of messages) await session.completeMessage(message);
  await nothing(session);
});

test('the next session is the oldest that has messages and no holder', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages([
    { body: 1, sessionId: 'a' },
    { body: 2, sessionId: 'b' },
  ]);
  assert.equal((await client.acceptNextSession(queue)).sessionId, 'a');
  assert.equal((await client.acceptNextSession(queue)).sessionId, 'b');
});

test('who waits for the next session gets it as soon as there is one', async () => {
  const { queue, client, sender } = await open();
  const waiting = client.acceptNextSession(queue);
  await sender.sendMessages({ body: 1, sessionId: 'late' });
  assert.equal((await waiting).sessionId, 'late');
});

test('who waits for the next session in vain is told so', async () => {
  const { queue } = await open();
  const client = broker.client(undefined, { retryOptions: { maxRetries: 0, timeoutInMs: 1_000 } });
  await assert.rejects(client.acceptNextSession(queue), { code: /SessionCannotBeLocked|ServiceTimeout/ });
});

test('a session that is held is given to nobody else until it is given up', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const first = await client.acceptSession(queue, 'a');
  await assert.rejects(client.acceptSession(queue, 'a'), { code: 'SessionCannotBeLocked' });
  await first.close();
  const second = await client.acceptSession(queue, 'a');
  assert.equal((await take(second)).deliveryCount, 0);
});

test('what the holder of a session did not settle does not count when it gives the session up', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const first = await client.acceptSession(queue, 'a');
  await take(first);
  await first.close();
  assert.equal((await take(await client.acceptSession(queue, 'a'))).deliveryCount, 0);
});

test('a session keeps its state', async () => {
  const { queue, client } = await open();
  const first = await client.acceptSession(queue, 'a');
  assert.equal(await first.getSessionState(), null);
  await first.setSessionState({ step: 2 });
  await first.close();
  const second = await client.acceptSession(queue, 'a');
  assert.deepEqual(await second.getSessionState(), { step: 2 });
  await second.setSessionState(null);
  assert.equal(await second.getSessionState(), null);
});

test('a session that is renewed lasts, and its messages with it', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const session = await client.acceptSession(queue, 'a');
  const message = await take(session);
  await broker.advance(20_000);
  const until = (await session.renewSessionLock()).getTime();
  assert.ok(until > Date.now() + 20_000);
  await broker.advance(20_000);
  await session.completeMessage(message);
  assert.equal((await broker.counts(queue)).active, 0);
});

test('a session that is not renewed is lost, and its messages count as delivered', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const session = await client.acceptSession(queue, 'a');
  const message = await take(session);
  await broker.advance(30_000);
  await assert.rejects(session.renewSessionLock(), { code: 'SessionLockLost' });
  await assert.rejects(session.completeMessage(message), { code: 'SessionLockLost' });
  assert.equal((await take(await client.acceptSession(queue, 'a'))).deliveryCount, 1);
});

test('a session that is stolen can not be used any more', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const session = await client.acceptSession(queue, 'a');
  const message = await take(session);
  await broker.control('POST', 'sessions', { queue, session: 'a', milliseconds: 10_000 });
  await assert.rejects(client.acceptSession(queue, 'a'), { code: 'SessionCannotBeLocked' });
  await assert.rejects(session.completeMessage(message), { code: 'SessionLockLost' });
});

test('peeking and deferring stay within the session', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages([
    { body: 'b', sessionId: 'b' },
    { body: 'a', sessionId: 'a' },
  ]);
  const session = await client.acceptSession(queue, 'a');
  assert.deepEqual(bodies(await session.peekMessages(10)), ['a']);
  const message = await take(session);
  await session.deferMessage(message);
  const [deferred] = await session.receiveDeferredMessages(message.sequenceNumber);
  await session.completeMessage(deferred);
  assert.deepEqual((await broker.counts(queue)).active, 1);
});

test('a dead letter of a session is received without one', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 1, sessionId: 'a' });
  const session = await client.acceptSession(queue, 'a');
  await session.deadLetterMessage(await take(session), { deadLetterReason: 'r' });
  const dead = await take(client.createReceiver(queue, { subQueueType: 'deadLetter' }));
  assert.equal(dead.sessionId, 'a');
});

test('messages of a session can be scheduled', async () => {
  const { queue, client, sender } = await open();
  await sender.scheduleMessages({ body: 1, sessionId: 'a' }, broker.in(600_000));
  await broker.advance(601_000);
  assert.equal((await take(await client.acceptNextSession(queue))).body, 1);
});
