import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import rhea from 'rhea';
import { Raw } from './raw.mjs';
import { KEY, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

async function open(settings) {
  const queue = await broker.queue(settings);
  const client = broker.client();
  return { queue, client, sender: client.createSender(queue), receiver: client.createReceiver(queue) };
}

async function raw(queue, options) {
  const client = await Raw.connect(broker.ports.amqp);
  await client.authorize(KEY);
  return { client, receiver: await client.receiver(queue, options) };
}

test('a batch that is not filled is drained, and no message is lost or locked by that', async () => {
  const { queue, sender, receiver } = await open();
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  assert.equal((await receiver.receiveMessages(10, { maxWaitTimeInMs: 1_000 })).length, 2);
  await sender.sendMessages({ body: 3 });
  assert.deepEqual(await broker.counts(queue), { active: 1, locked: 2, deferred: 0, scheduled: 0, deadLettered: 0 });
  assert.equal((await take(receiver)).body, 3);
});

test('a subscriber gets what comes, and what it returns from is completed', async () => {
  const { queue, sender, receiver } = await open();
  const seen = [];
  const all = new Promise((resolve, reject) =>
    receiver.subscribe(
      {
        processMessage: async ({ body }) => void (seen.push(body) === 20 && resolve()),
        processError: async ({ error }) => reject(error),
      },
      { maxConcurrentCalls: 5 },
    ),
  );
  await sender.sendMessages([...Array(20).keys()].map((body) => ({ body })));
  await all;
  await receiver.close();
  assert.deepEqual([...seen].sort((a, b) => a - b), [...Array(20).keys()]);
  assert.equal((await broker.counts(queue)).active, 0);
});

test('what a subscriber throws on is abandoned, until it is a dead letter', async () => {
  const { queue, sender, receiver } = await open({ maxDeliveryCount: 3 });
  let tries = 0;
  const third = new Promise((resolve) =>
    receiver.subscribe({
      processMessage: async () => {
        if (++tries === 3) resolve();
        throw new Error('no');
      },
      processError: async () => {},
    }),
  );
  await sender.sendMessages({ body: 'a' });
  await third;
  await receiver.close();
  assert.equal((await broker.counts(queue)).deadLettered, 1);
});

test('two receivers share what there is', async () => {
  const { queue, client, sender, receiver } = await open();
  const other = client.createReceiver(queue);
  const both = [receiver.receiveMessages(1), other.receiveMessages(1)];
  await sender.sendMessages([{ body: 1 }, { body: 2 }]);
  const bodies = (await Promise.all(both)).map(([{ body }]) => body);
  assert.deepEqual(bodies.sort(), [1, 2]);
});

test('a receiver gets as many messages as it has given credit for, and no more', async () => {
  const { queue, sender } = await open();
  await sender.sendMessages([...Array(10).keys()].map((body) => ({ body })));
  const { client, receiver } = await raw(queue);
  let came = 0;
  receiver.on('message', () => came++);
  receiver.add_credit(3);
  receiver.drain = true;
  receiver.issue_flow = true;
  await once(receiver, 'receiver_drained');
  assert.equal(came, 3);
  assert.equal((await broker.counts(queue)).locked, 3);
  client.close();
});

test('a drain is answered with all credit used up', async () => {
  const { queue } = await open();
  const { client, receiver } = await raw(queue);
  receiver.drain = true;
  receiver.add_credit(7);
  await once(receiver, 'receiver_drained');
  assert.equal(receiver.credit, 0);
  assert.equal(receiver.delivery_count, 7);
  client.close();
});

test('the delivery tag is the lock token in the byte order of a .NET Guid', async () => {
  const { queue, client, sender } = await open();
  await sender.sendMessages({ body: 'a' });
  const peer = await raw(queue);
  peer.receiver.add_credit(1);
  const [{ delivery }] = await once(peer.receiver, 'message');
  const tag = Buffer.from(delivery.tag);
  const token = Buffer.concat([Buffer.from(tag.subarray(0, 4)).reverse(), Buffer.from(tag.subarray(4, 6)).reverse(), Buffer.from(tag.subarray(6, 8)).reverse(), tag.subarray(8)]);
  const { types } = peer.client.container;
  const answer = await peer.client.request(`${queue}/$management`, { operation: 'com.microsoft:renew-lock' }, { 'lock-tokens': types.wrap_array([token], 0x98) });
  assert.equal(answer.application_properties.statusCode, 200);
  assert.equal(answer.body.expirations.length, 1);
  peer.client.close();
  await client.close();
});

test('renewing a thousand locks takes one request, and one lost lock refuses them all', async () => {
  const { queue, sender } = await open({ lockDuration: 30_000 });
  await sender.sendMessages([...Array(1000).keys()].map((body) => ({ body })));
  const { client, receiver } = await raw(queue);
  const deliveries = [];
  const all = new Promise((resolve) => receiver.on('message', ({ delivery }) => deliveries.push(delivery) === 1000 && resolve()));
  receiver.add_credit(1000);
  await all;
  const { types } = client.container;
  const tokens = deliveries.map(({ tag }) => Buffer.concat([Buffer.from(tag.subarray(0, 4)).reverse(), Buffer.from(tag.subarray(4, 6)).reverse(), Buffer.from(tag.subarray(6, 8)).reverse(), tag.subarray(8)]));
  const renew = () => client.request(`${queue}/$management`, { operation: 'com.microsoft:renew-lock' }, { 'lock-tokens': types.wrap_array(tokens, 0x98) });
  assert.equal((await renew()).body.expirations.length, 1000);
  deliveries[500].update(false, rhea.message.accepted().described());
  await once(receiver, 'settled');
  const refused = await renew();
  assert.equal(refused.application_properties.statusCode, 410);
  assert.equal(refused.application_properties.errorCondition, 'com.microsoft:message-lock-lost');
  client.close();
});

test('ten thousand messages can be held at once, and each be settled', async () => {
  const { queue, sender } = await open();
  for (let i = 0; i < 10; i++) await sender.sendMessages([...Array(1000).keys()].map((body) => ({ body })));
  const { client, receiver } = await raw(queue);
  const deliveries = [];
  const all = new Promise((resolve) => receiver.on('message', ({ delivery }) => deliveries.push(delivery) === 10_000 && resolve()));
  receiver.add_credit(10_000);
  await all;
  assert.equal((await broker.counts(queue)).locked, 10_000);
  let settled = 0;
  const done = new Promise((resolve) => receiver.on('settled', () => ++settled === 10_000 && resolve()));
  for (const delivery of deliveries) delivery.update(false, rhea.message.accepted().described());
  await done;
  assert.equal((await broker.counts(queue)).locked, 0);
  client.close();
});
