import Long from 'long';
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import rhea from 'rhea';
import { BATCH_FORMAT } from '../src/wire.mjs';
import { Raw } from './raw.mjs';
import { KEY, nothing, Running, take } from './running.mjs';

const NONE = { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: 0 };

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings) {
  const queue = await broker.queue({ partitions: 4, ...settings });
  const client = broker.client();
  return { queue, client, sender: client.createSender(queue), receiver: client.createReceiver(queue) };
}

/** So many messages, each held, from a client that lets us say which locks one request is about. */
async function holding(count, settings) {
  const { queue, sender } = await open(settings);
  for (let i = 0; i < count; i++) await sender.sendMessages({ body: i });
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY, { until: broker.in(3_600_000) });
  const receiver = await client.receiver(queue);
  const held = [];
  const all = new Promise((resolve) => receiver.on('message', ({ message, delivery }) => held.push({ partition: partitionOf(message.message_annotations['x-opt-sequence-number']), token: tokenOf(delivery.tag) }) === count && resolve()));
  receiver.add_credit(count);
  await all;
  const { types } = client.container;
  const ask = async (operation, tokens, fields) => (await client.request(`${queue}/$management`, { operation: `com.microsoft:${operation}` }, { 'lock-tokens': types.wrap_array(tokens, 0x98), ...fields })).application_properties;
  return { queue, client, held, ask };
}

const partitionOf = (number) => Number(BigInt.asUintN(64, Buffer.isBuffer(number) ? number.readBigInt64BE() : BigInt(number.toString())) >> 48n);
const partitionsOf = (messages) => messages.map(({ sequenceNumber }) => partitionOf(sequenceNumber));
const bodies = (messages) => messages.map(({ body }) => body);
const tokenOf = (tag) => Buffer.concat([Buffer.from(tag.subarray(0, 4)).reverse(), Buffer.from(tag.subarray(4, 6)).reverse(), Buffer.from(tag.subarray(6, 8)).reverse(), tag.subarray(8)]);
const isRefused = ({ statusCode, errorCondition, statusDescription }) => {
  assert.equal(statusCode, 400);
  assert.equal(errorCondition, 'amqp:not-allowed');
  assert.equal(statusDescription, 'Batching lock tokens for different partitions is not supported for an entity with partitioning enabled.');
};

async function sendBatch(queue, messages, envelope = {}) {
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY, { until: broker.in(3_600_000) });
  const sender = await client.sender(queue);
  sender.send(rhea.message.encode({ ...envelope, body: rhea.message.data_sections(messages.map((message) => rhea.message.encode(message))) }), undefined, BATCH_FORMAT);
  const outcome = await Promise.race([once(sender, 'accepted').then(() => null), once(sender, 'rejected').then(([{ delivery }]) => delivery.remote_state.error)]);
  client.close();
  return outcome;
}

const keyed = (key) => ({ body: key, message_annotations: { 'x-opt-partition-key': key } });

test('messages without a key go to one partition after another, and come in the order in which they were sent', async () => {
  const { sender, receiver } = await open();
  for (let i = 0; i < 8; i++) await sender.sendMessages({ body: i });
  const messages = await receiver.receiveMessages(8, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(bodies(messages), [0, 1, 2, 3, 4, 5, 6, 7]);
  const partitions = partitionsOf(messages);
  assert.equal(new Set(partitions.slice(0, 4)).size, 4);
  assert.deepEqual(partitions.slice(4), partitions.slice(0, 4));
});

test('a sequence number has its partition in its upper bits, and is too great for a double', async () => {
  const { queue, sender } = await open();
  for (let i = 0; i < 5; i++) await sender.sendMessages({ body: i });
  const { messages } = await broker.control('GET', `queues/${queue}?messages`);
  const numbers = messages.map(({ sequenceNumber }) => BigInt(sequenceNumber));
  assert.ok(numbers.every((number) => number > 2n ** 53n));
  assert.equal(numbers[4], numbers[0] + 1n);
  assert.equal(Number(numbers[4]), Number(numbers[0]));
});

test('messages of one session, or of one partition key, are in one partition', async () => {
  const { sender, receiver } = await open();
  for (let i = 0; i < 3; i++) for (const partitionKey of ['a', 'b', 'c', 'd', 'e', 'f']) await sender.sendMessages({ body: partitionKey, partitionKey });
  const messages = await receiver.receiveMessages(18, { maxWaitTimeInMs: 5_000 });
  const at = (key) => new Set(partitionsOf(messages.filter(({ body }) => body === key)));
  assert.ok([...'abcdef'].every((key) => at(key).size === 1));
  assert.ok(new Set(partitionsOf(messages)).size > 1);

  const tours = await open({ requiresSession: true });
  for (let i = 0; i < 3; i++) await tours.sender.sendMessages({ body: i, sessionId: 'tour' });
  const session = await tours.client.acceptSession(tours.queue, 'tour');
  const ofSession = await session.receiveMessages(3, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(bodies(ofSession), [0, 1, 2]);
  assert.equal(new Set(partitionsOf(ofSession)).size, 1);
});

test('locks of several partitions are not renewed in one request, none of them; those of one are', async () => {
  const { client, held, ask } = await holding(8, { lockDuration: 30_000 });
  await broker.advance(20_000);
  isRefused(await ask('renew-lock', held.map(({ token }) => token)));
  const same = held.filter(({ partition }) => partition === held[0].partition).map(({ token }) => token);
  assert.equal(same.length, 2);
  assert.equal((await ask('renew-lock', same)).statusCode, 200);
  await broker.advance(10_000);
  assert.equal((await ask('renew-lock', same)).statusCode, 200);
  for (const { token } of held.filter(({ partition }) => partition !== held[0].partition)) assert.equal((await ask('renew-lock', [token])).statusCode, 410);
  client.close();
});

test('locks of several partitions are not settled in one request, none of them; those of one are', async () => {
  const { queue, client, held, ask } = await holding(8);
  const completing = { 'disposition-status': 'completed' };
  isRefused(await ask('update-disposition', held.map(({ token }) => token), completing));
  assert.equal((await broker.counts(queue)).locked, 8);
  const same = held.filter(({ partition }) => partition === held[0].partition).map(({ token }) => token);
  assert.equal((await ask('update-disposition', same, completing)).statusCode, 200);
  assert.equal((await broker.counts(queue)).locked, 6);
  client.close();
});

test('a lock that is lost is of its partition still', async () => {
  const { client, held, ask } = await holding(2, { lockDuration: 30_000 });
  await broker.advance(30_000);
  isRefused(await ask('renew-lock', held.map(({ token }) => token)));
  assert.equal((await ask('renew-lock', [held[0].token])).statusCode, 410);
  client.close();
});

test('dead letters keep their partitions', async () => {
  const { queue, client, sender, receiver } = await open();
  for (let i = 0; i < 2; i++) await sender.sendMessages({ body: i });
  const messages = await receiver.receiveMessages(2, { maxWaitTimeInMs: 5_000 });
  for (const message of messages) await receiver.deadLetterMessage(message);
  const dead = await client.createReceiver(queue, { subQueueType: 'deadLetter' }).receiveMessages(2, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(bodies(dead), [0, 1]);
  assert.deepEqual(dead.map(({ sequenceNumber }) => String(sequenceNumber)), messages.map(({ sequenceNumber }) => String(sequenceNumber)));
});

test('peeking follows the numbers, partition by partition, from exactly the one it is told', async () => {
  const { sender, receiver } = await open({ partitions: 2 });
  for (let i = 0; i < 6; i++) await sender.sendMessages({ body: i });
  const seen = await receiver.peekMessages(10);
  assert.deepEqual(bodies(seen), [0, 2, 4, 1, 3, 5]);
  assert.deepEqual(bodies(await receiver.peekMessages(10, { fromSequenceNumber: seen[1].sequenceNumber })), [2, 4, 1, 3, 5]);
  assert.deepEqual(bodies(await receiver.peekMessages(2, { fromSequenceNumber: seen[3].sequenceNumber.add(1) })), [3, 5]);
  assert.deepEqual(bodies(await receiver.peekMessages(10, { fromSequenceNumber: Long.ZERO })).length, 6);
});

test('scheduled messages are cancelled by exactly their numbers', async () => {
  const { queue, sender, receiver } = await open();
  const numbers = [];
  for (let i = 0; i < 6; i++) numbers.push(...(await sender.scheduleMessages({ body: i }, broker.in(600_000 + i * 100))));
  assert.equal(new Set(numbers.map(String)).size, 6);
  await sender.cancelScheduledMessages(numbers[4]);
  await assert.rejects(sender.cancelScheduledMessages(numbers[4]), { code: 'MessageNotFound' });
  assert.deepEqual(await broker.counts(queue), { ...NONE, scheduled: 5 });
  await broker.advance(601_000);
  const messages = await receiver.receiveMessages(5, { maxWaitTimeInMs: 5_000 });
  assert.deepEqual(bodies(messages), [0, 1, 2, 3, 5]);
  assert.deepEqual(partitionsOf(messages), [0, 1, 2, 3, 5].map((i) => partitionOf(numbers[i])));
});

test('a deferred message is taken by exactly its number', async () => {
  const { queue, sender, receiver } = await open();
  for (let i = 0; i < 5; i++) await sender.sendMessages({ body: i });
  const messages = await receiver.receiveMessages(5, { maxWaitTimeInMs: 5_000 });
  for (const message of messages) await receiver.deferMessage(message);
  const [last] = await receiver.receiveDeferredMessages(messages[4].sequenceNumber);
  assert.equal(last.body, 4);
  await receiver.completeMessage(last);
  await assert.rejects(receiver.receiveDeferredMessages(messages[4].sequenceNumber), { code: 'MessageNotFound' });
  assert.deepEqual(await broker.counts(queue), { ...NONE, deferred: 4 });
  await nothing(receiver);
});

test('a batch of messages with different keys is refused, and nothing of it is kept', async () => {
  const { queue } = await open();
  for (const messages of [[keyed('a'), keyed('b')], [{ body: 1, group_id: 'a' }, { body: 2, group_id: 'b' }], [keyed('a'), { body: 'none' }]]) {
    const error = await sendBatch(queue, messages);
    assert.equal(error.condition, 'amqp:not-allowed');
    assert.match(error.description, /^Batching brokered messages with distinct SessionId or PartitionKey is not supported/);
  }
  assert.deepEqual(await broker.counts(queue), NONE);
});

test('a batch of messages with the same key, or with none, is taken', async () => {
  const { queue } = await open();
  assert.equal(await sendBatch(queue, [keyed('a'), keyed('a')]), null);
  assert.equal(await sendBatch(queue, [{ body: 1 }, { body: 2 }]), null);
  assert.equal((await broker.counts(queue)).active, 4);
});

test('a batch whose envelope has a key of its own is taken into one partition, whatever its messages have', async () => {
  for (const envelope of [{ group_id: 'g' }, { message_annotations: { 'x-opt-partition-key': 'p' } }, { message_id: 'm' }]) {
    const { queue, receiver } = await open();
    assert.equal(await sendBatch(queue, [keyed('a'), keyed('b'), { body: 'c' }, { body: 'd' }, keyed('e')], envelope), null);
    assert.equal(new Set(partitionsOf(await receiver.receiveMessages(5, { maxWaitTimeInMs: 5_000 }))).size, 1);
  }
});

test('an entity that is not partitioned takes a batch of any keys, and numbers from one', async () => {
  const { queue, receiver } = await open({ partitions: 1 });
  assert.equal(await sendBatch(queue, [keyed('a'), keyed('b')]), null);
  assert.equal((await take(receiver)).sequenceNumber.toNumber(), 1);
});

test('the subscriptions of a partitioned topic are partitioned, too', async () => {
  await broker.control('PUT', 'topics/split', { partitions: 4 });
  await broker.control('PUT', 'topics/split/subscriptions/all', {});
  const client = broker.client();
  const sender = client.createSender('split');
  for (let i = 0; i < 4; i++) await sender.sendMessages({ body: i });
  const messages = await client.createReceiver('split', 'all').receiveMessages(4, { maxWaitTimeInMs: 5_000 });
  assert.equal(new Set(partitionsOf(messages)).size, 4);
  assert.equal((await sendBatch('split', [keyed('a'), keyed('b')])).condition, 'amqp:not-allowed');
});

test('how many partitions there are is a whole number, and stays as it was', async () => {
  for (const partitions of [0, 1.5, 'many', 1_001]) await assert.rejects(broker.queue({ partitions }), /400/);
  const { queue } = await open();
  await assert.rejects(broker.control('PUT', `queues/${queue}`, { partitions: 2 }), /400/);
  await broker.control('PUT', `queues/${queue}`, { partitions: 4, maxDeliveryCount: 2 });
});
