import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { nothing, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings, options) {
  const queue = await broker.queue(settings);
  const client = broker.client();
  const sender = client.createSender(queue);
  const receiver = client.createReceiver(queue, options);
  return { queue, client, sender, receiver };
}

test('what is completed is gone', async () => {
  const { queue, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  await receiver.completeMessage(await take(receiver));
  assert.deepEqual(await broker.counts(queue), { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 });
});

test('what is held is given to nobody else', async () => {
  const { queue, client, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  await take(receiver);
  await nothing(client.createReceiver(queue));
});

test('what is abandoned comes again at its old place, with what was changed of it and one delivery more', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages([{ body: 'a', applicationProperties: { kept: 1 } }, { body: 'b' }]);
  await receiver.abandonMessage(await take(receiver), { tried: 'once' });
  const again = await take(receiver);
  assert.equal(again.body, 'a');
  assert.equal(again.deliveryCount, 1);
  assert.deepEqual(again.applicationProperties, { kept: 1, tried: 'once' });
});

test('a dead letter keeps why it died, and its number', async () => {
  const { queue, client, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a', messageId: 'm' });
  await receiver.deadLetterMessage(await take(receiver), { deadLetterReason: 'poison', deadLetterErrorDescription: 'It never works.', attempts: 3 });
  const graves = client.createReceiver(queue, { subQueueType: 'deadLetter' });
  const dead = await take(graves);
  assert.equal(dead.messageId, 'm');
  assert.equal(dead.deadLetterReason, 'poison');
  assert.equal(dead.deadLetterErrorDescription, 'It never works.');
  assert.equal(dead.deadLetterSource, queue);
  assert.equal(dead.applicationProperties.attempts, 3);
  assert.equal(dead.sequenceNumber.toNumber(), 1);
  assert.equal((await broker.counts(queue)).deadLettered, 1);
  await graves.completeMessage(dead);
  assert.equal((await broker.counts(queue)).deadLettered, 0);
});

test('after as many failed deliveries as the queue allows, a message is a dead letter', async () => {
  const { queue, client, sender, receiver } = await open({ maxDeliveryCount: 2 });
  await sender.sendMessages({ body: 'a' });
  await receiver.abandonMessage(await take(receiver));
  await receiver.abandonMessage(await take(receiver));
  await nothing(receiver);
  const dead = await take(client.createReceiver(queue, { subQueueType: 'deadLetter' }));
  assert.equal(dead.deadLetterReason, 'MaxDeliveryCountExceeded');
  assert.equal(dead.deliveryCount, 2);
});

test('a dead letter that is abandoned stays a dead letter, however often', async () => {
  const { queue, client, sender, receiver } = await open({ maxDeliveryCount: 1 });
  await sender.sendMessages({ body: 'a' });
  await receiver.abandonMessage(await take(receiver));
  const graves = client.createReceiver(queue, { subQueueType: 'deadLetter' });
  for (let i = 0; i < 3; i++) await graves.abandonMessage(await take(graves));
  assert.equal((await broker.counts(queue)).deadLettered, 1);
});

test('what is received and deleted is gone without being settled', async () => {
  const { queue, sender, receiver } = await open({}, { receiveMode: 'receiveAndDelete' });
  await sender.sendMessages({ body: 'a' });
  assert.equal((await take(receiver)).body, 'a');
  assert.deepEqual(await broker.counts(queue), { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 });
});

test('a lock that is not renewed ends: the message comes again, and its old holder can settle it no more', async () => {
  const { sender, receiver } = await open({ lockDuration: 30_000 });
  await sender.sendMessages({ body: 'a' });
  const first = await take(receiver);
  await broker.advance(30_000);
  await assert.rejects(receiver.completeMessage(first), { code: 'MessageLockLost' });
  const second = await take(receiver);
  assert.equal(second.deliveryCount, 1);
  await receiver.completeMessage(second);
});

test('a lock that is renewed lasts', async () => {
  const { queue, sender, receiver } = await open({ lockDuration: 30_000 });
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  const until = message.lockedUntilUtc.getTime();
  await broker.advance(20_000);
  const renewed = (await receiver.renewMessageLock(message)).getTime();
  assert.ok(renewed >= until + 20_000, `${renewed} is not later than ${until}.`);
  await broker.advance(20_000);
  await receiver.completeMessage(message);
  assert.equal((await broker.counts(queue)).active, 0);
});

test('a lock that has ended can not be renewed', async () => {
  const { sender, receiver } = await open({ lockDuration: 30_000 });
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  await broker.advance(30_000);
  await assert.rejects(receiver.renewMessageLock(message), { code: 'MessageLockLost' });
});

test('closing a link unlocks nothing: only its time does', async () => {
  const { queue, client, sender, receiver } = await open({ lockDuration: 30_000 });
  await sender.sendMessages({ body: 'a' });
  await take(receiver);
  await receiver.close();
  const other = client.createReceiver(queue);
  await nothing(other);
  await broker.advance(30_000);
  assert.equal((await take(other)).deliveryCount, 1);
});

test('a message whose link is gone is settled by its lock token', async () => {
  const { queue, client, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  await broker.control('POST', 'cut', { level: 'link', entity: queue });
  // After an exchange with the broker the client has seen that its link is gone.
  await client.createSender(await broker.queue()).sendMessages({ body: 'b' });
  await receiver.completeMessage(message);
  assert.equal((await broker.counts(queue)).locked, 0);
});
