import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nothing, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings) {
  const queue = await broker.queue(settings);
  const client = broker.client();
  return { queue, client, sender: client.createSender(queue), receiver: client.createReceiver(queue) };
}

test('a message arrives as it was sent', async () => {
  const { queue, sender, receiver } = await open();
  const sent = { messageId: 'one', correlationId: 'c', subject: 's', contentType: 'application/json', replyTo: 'r', to: 't', timeToLive: 60_000 };
  await sender.sendMessages({ ...sent, body: { order: 1 }, applicationProperties: { text: 'a', number: 7, yes: true, real: 1.5, at: new Date(5) } });
  const message = await take(receiver);
  for (const [name, value] of Object.entries(sent)) assert.equal(message[name], value, name);
  assert.deepEqual(message.body, { order: 1 });
  assert.deepEqual(message.applicationProperties, { text: 'a', number: 7, yes: true, real: 1.5, at: 5 });
  assert.equal(message.deliveryCount, 0);
  assert.equal(message.sequenceNumber.toNumber(), 1);
  assert.equal(message.state, 'active');
  assert.ok(message.lockedUntilUtc > new Date());
  assert.ok(Math.abs(message.enqueuedTimeUtc - Date.now()) < 60_000);
  assert.equal((await broker.counts(queue)).locked, 1);
});

test('a message without an id is given one', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  assert.ok((await take(receiver)).messageId);
});

test('a batch arrives message by message, in order', async () => {
  const { queue, sender, receiver } = await open();
  const batch = await sender.createMessageBatch();
  for (let i = 0; i < 50; i++) assert.ok(batch.tryAddMessage({ body: i, messageId: `m${i}` }));
  await sender.sendMessages(batch);
  const messages = await receiver.receiveMessages(50, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(
    messages.map(({ body }) => body),
    [...Array(50).keys()],
  );
  assert.equal((await broker.counts(queue)).locked, 50);
});

test('a message of a megabyte arrives whole', async () => {
  const { sender, receiver } = await open({ maxMessageBytes: 2 * 1024 * 1024 });
  const body = Buffer.alloc(1024 * 1024, 'abc');
  await sender.sendMessages({ body });
  assert.ok(body.equals((await take(receiver)).body));
});

test('a batch says when it is full, by the size that the queue allows', async () => {
  const { sender } = await open({ maxMessageBytes: 4096 });
  const batch = await sender.createMessageBatch();
  assert.equal(batch.maxSizeInBytes, 4096);
  assert.ok(batch.tryAddMessage({ body: 'a'.repeat(1_000) }));
  assert.equal(batch.tryAddMessage({ body: 'a'.repeat(4_000) }), false);
});

test('a full queue takes no more', async () => {
  const { sender } = await open({ maxMessages: 1 });
  await sender.sendMessages({ body: 'a' });
  await assert.rejects(sender.sendMessages({ body: 'b' }), { code: 'QuotaExceeded' });
});

test('each subscription of a topic gets every message, and its dead letters are its own', async () => {
  await broker.control('PUT', 'topics/events', {});
  for (const name of ['audit', 'bills']) await broker.control('PUT', `topics/events/subscriptions/${name}`, {});
  const client = broker.client();
  await client.createSender('events').sendMessages([{ body: 'a' }, { body: 'b' }]);
  const audit = client.createReceiver('events', 'audit');
  const bills = client.createReceiver('events', 'bills');
  await audit.deadLetterMessage(await take(audit), { deadLetterReason: 'odd' });
  assert.equal((await take(audit)).body, 'b');
  assert.equal((await take(bills)).body, 'a');
  assert.equal((await take(bills)).body, 'b');
  assert.equal((await take(client.createReceiver('events', 'audit', { subQueueType: 'deadLetter' }))).deadLetterReason, 'odd');
  assert.equal((await broker.counts('events/Subscriptions/bills')).deadLettered, 0);
});

test('a message whose time to live is over is not delivered', async () => {
  const { queue, client, sender, receiver } = await open({ deadLetterOnExpiration: true });
  await sender.sendMessages({ body: 'a', timeToLive: 10_000 });
  await broker.advance(10_000);
  await nothing(receiver);
  assert.equal((await take(client.createReceiver(queue, { subQueueType: 'deadLetter' }))).deadLetterReason, 'TTLExpiredException');
});
