import Long from 'long';
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

const bodies = (messages) => messages.map(({ body }) => body);

test('peeking shows messages in order and locks none, whatever their state', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages([{ body: 'held' }, { body: 'deferred' }, { body: 'active' }]);
  const [, deferred] = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5_000 });
  await receiver.deferMessage(deferred);
  await sender.scheduleMessages({ body: 'scheduled' }, broker.in(3_600_000));
  const seen = await receiver.peekMessages(10);
  assert.deepEqual(bodies(seen), ['held', 'deferred', 'active', 'scheduled']);
  assert.deepEqual(
    seen.map(({ state }) => state),
    ['active', 'deferred', 'active', 'scheduled'],
  );
  assert.ok(seen.every(({ lockToken }) => lockToken === undefined));
  assert.equal((await take(receiver)).body, 'active');
});

test('peeking goes on where it left off, or begins where it is told, and ends with nothing', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages([{ body: 1 }, { body: 2 }, { body: 3 }]);
  assert.deepEqual(bodies(await receiver.peekMessages(2)), [1, 2]);
  assert.deepEqual(bodies(await receiver.peekMessages(2)), [3]);
  assert.deepEqual(bodies(await receiver.peekMessages(2)), []);
  assert.deepEqual(bodies(await receiver.peekMessages(2, { fromSequenceNumber: Long.fromNumber(2) })), [2, 3]);
});

test('a dead-letter queue can be peeked', async () => {
  const { queue, client, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  await receiver.deadLetterMessage(await take(receiver), { deadLetterReason: 'r' });
  const [dead] = await client.createReceiver(queue, { subQueueType: 'deadLetter' }).peekMessages(1);
  assert.equal(dead.deadLetterReason, 'r');
});

test('dead letters are peeked in the order of their numbers, whichever died first', async () => {
  const { queue, client, sender, receiver } = await open();
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  const [first, second] = [await take(receiver), await take(receiver)];
  await receiver.deadLetterMessage(second);
  await receiver.deadLetterMessage(first);
  assert.deepEqual(bodies(await client.createReceiver(queue, { subQueueType: 'deadLetter' }).peekMessages(2)), [1, 2]);
});

test('a scheduled message comes when its time has come, with a number of its own', async () => {
  const { queue, sender, receiver } = await open();
  const [number] = await sender.scheduleMessages([{ body: 'later', messageId: 'm' }], broker.in(600_000));
  await nothing(receiver);
  assert.equal((await broker.counts(queue)).scheduled, 1);
  await broker.advance(601_000);
  const message = await take(receiver);
  assert.equal(message.messageId, 'm');
  assert.equal(message.deliveryCount, 0);
  assert.ok(message.sequenceNumber.greaterThan(number));
});

test('a message that is sent for later is scheduled, too', async () => {
  const { queue, sender } = await open();
  await sender.sendMessages({ body: 'later', scheduledEnqueueTimeUtc: broker.in(3_600_000) });
  assert.equal((await broker.counts(queue)).scheduled, 1);
});

test('a scheduled message that is cancelled never comes', async () => {
  const { queue, sender, receiver } = await open();
  const numbers = await sender.scheduleMessages([{ body: 1 }, { body: 2 }], broker.in(600_000));
  await sender.cancelScheduledMessages(numbers);
  await broker.advance(601_000);
  await nothing(receiver);
  assert.equal((await broker.counts(queue)).scheduled, 0);
  await assert.rejects(sender.cancelScheduledMessages(numbers), { code: 'MessageNotFound' });
});

test('a message can be scheduled on a topic', async () => {
  await broker.control('PUT', 'topics/news', {});
  await broker.control('PUT', 'topics/news/subscriptions/all', {});
  const client = broker.client();
  await client.createSender('news').scheduleMessages({ body: 'later' }, broker.in(600_000));
  const receiver = client.createReceiver('news', 'all');
  await nothing(receiver);
  await broker.advance(601_000);
  assert.equal((await take(receiver)).body, 'later');
});

test('a deferred message comes only when it is asked for by its number', async () => {
  const { queue, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  await receiver.deferMessage(message, { why: 'not yet' });
  await nothing(receiver);
  const [deferred] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  assert.equal(deferred.body, 'a');
  assert.equal(deferred.state, 'deferred');
  assert.equal(deferred.applicationProperties.why, 'not yet');
  assert.ok(deferred.lockedUntilUtc > new Date());
  await receiver.completeMessage(deferred);
  assert.deepEqual(await broker.counts(queue), { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 });
});

test('a deferred message can be dead-lettered, deferred again, abandoned and renewed by its token', async () => {
  const { queue, sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  await receiver.deferMessage(message);
  const again = async () => (await receiver.receiveDeferredMessages(message.sequenceNumber))[0];
  await receiver.deferMessage(await again());
  await receiver.abandonMessage(await again());
  const held = await again();
  assert.equal(held.deliveryCount, 1);
  await receiver.renewMessageLock(held);
  await receiver.deadLetterMessage(held, { deadLetterReason: 'r', deadLetterErrorDescription: 'd' });
  assert.equal((await broker.counts(queue)).deadLettered, 1);
});

test('a deferred message whose lock ends is still deferred', async () => {
  const { sender, receiver } = await open({ lockDuration: 30_000 });
  await sender.sendMessages({ body: 'a' });
  const message = await take(receiver);
  await receiver.deferMessage(message);
  await receiver.receiveDeferredMessages(message.sequenceNumber);
  await broker.advance(30_000);
  await nothing(receiver);
  const [again] = await receiver.receiveDeferredMessages(message.sequenceNumber);
  assert.equal(again.deliveryCount, 1);
});

test('a number of which nothing is deferred is not found', async () => {
  const { sender, receiver } = await open();
  await sender.sendMessages({ body: 'a' });
  await assert.rejects(receiver.receiveDeferredMessages(Long.fromNumber(1)), { code: 'MessageNotFound' });
});
