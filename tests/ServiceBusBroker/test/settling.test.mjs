import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { Running } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings) {
  const queue = await broker.queue(settings);
  const client = broker.client();
  const sender = client.createSender(queue);
  const receiver = client.createReceiver(queue);
  return { queue, client, sender, receiver };
}

const take = async (receiver) => (await receiver.receiveMessages(1, { maxWaitTimeInMs: 5_000 }))[0];

test('a message arrives as it was sent', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages({ body: { order: 1 }, messageId: 'one', correlationId: 'c', subject: 's', contentType: 'application/json', applicationProperties: { text: 'a', number: 7, yes: true, real: 1.5 } });
  const message = await take(receiver);
  assert.deepEqual(message.body, { order: 1 });
  assert.equal(message.messageId, 'one');
  assert.equal(message.correlationId, 'c');
  assert.equal(message.subject, 's');
  assert.equal(message.contentType, 'application/json');
  assert.deepEqual(message.applicationProperties, { text: 'a', number: 7, yes: true, real: 1.5 });
  assert.equal(message.deliveryCount, 0);
  assert.equal(message.sequenceNumber.toNumber(), 1);
  assert.ok(message.lockedUntilUtc > new Date());
  assert.ok(message.enqueuedTimeUtc <= new Date());
});

test('what is completed is gone', async () => {
  const { queue, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  await receiver.completeMessage(await take(receiver));
  assert.deepEqual(await broker.counts(queue), { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 });
});

test('what is abandoned comes again, with what was changed of it and one delivery more', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages({ body: 'a', applicationProperties: { kept: 1 } });
  await receiver.abandonMessage(await take(receiver), { tried: 'once' });
  const again = await take(receiver);
  assert.equal(again.deliveryCount, 1);
  assert.deepEqual(again.applicationProperties, { kept: 1, tried: 'once' });
});
