import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import rhea from 'rhea';
import { Idleness, timeSpan } from '../src/idleness.mjs';
import { Raw } from './raw.mjs';
import { KEY, Running, take } from './running.mjs';

const MINUTE = 60_000;

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

/** A client whose token outlasts all that these tests let pass. */
async function connected(to = broker) {
  const client = await Raw.connect(to.ports.amqp);
  // An answer means that all that was sent before has been taken in, and that all that the broker did has come.
  client.exchange = () => client.authorize(KEY, { until: to.in(24 * 60 * MINUTE) });
  await client.exchange();
  return client;
}

async function open(settings) {
  const queue = await broker.queue({ linkIdleTimeout: 2 * MINUTE, lockDuration: 30 * MINUTE, ...settings });
  const client = await connected();
  return { queue, client, receiver: watched(await client.receiver(queue)), send: async () => (await client.sender(queue)).send({ body: 'a' }) };
}

const watched = (link) => link.on('receiver_error', () => {}).on('receiver_close', () => (link.isGone = true));

/** That the link stands for as long as it may without traffic, and not longer. */
async function standsFromNow({ client, receiver }) {
  await broker.advance(2 * MINUTE - 5_000);
  await client.exchange();
  assert.ok(!receiver.isGone);
  await broker.advance(5_000);
  await client.exchange();
  assert.ok(receiver.isGone);
}

async function passHalf({ client, receiver }) {
  await broker.advance(MINUTE);
  await client.exchange();
  assert.ok(!receiver.isGone);
}

test('a link on which nothing travels is detached, though it has credit', async () => {
  const { client, receiver } = await open({ linkIdleTimeout: 10 * MINUTE });
  receiver.add_credit(10);
  await client.exchange();
  const ended = once(receiver, 'receiver_error');
  await broker.advance(10 * MINUTE);
  await ended;
  assert.equal(receiver.error.condition, 'amqp:link:detach-forced');
  assert.match(receiver.error.description, /^The link '.+' is force detached\. Code: consumer\(link\d+\)\. Details: AmqpMessageConsumer\.IdleTimerExpired: Idle timeout: 00:10:00\.$/);
  assert.ok(receiver.error.description.includes(`'${receiver.name}'`));
  client.close();
});

test('what a link that is detached had asked for is given to others, and its locks hold', async () => {
  const { queue, client, receiver, send } = await open();
  receiver.add_credit(2);
  const came = once(receiver, 'message');
  await send();
  await came;
  await standsFromNow({ client, receiver });
  assert.equal((await broker.counts(queue)).locked, 1);
  const other = await client.receiver(queue);
  other.add_credit(1);
  await send();
  await once(other, 'message');
  client.close();
});

test('a flow is traffic', async () => {
  const all = await open();
  await passHalf(all);
  all.receiver.add_credit(1);
  await all.client.exchange();
  await standsFromNow(all);
  all.client.close();
});

test('a transfer is traffic, and so is a disposition', async () => {
  const all = await open();
  all.receiver.add_credit(1);
  await all.client.exchange();
  await passHalf(all);
  const came = once(all.receiver, 'message');
  await all.send();
  const [{ delivery }] = await came;
  await passHalf(all);
  const settled = once(all.receiver, 'settled');
  delivery.update(false, rhea.message.accepted().described());
  await settled;
  await standsFromNow(all);
  all.client.close();
});

test('a request that names the link is traffic on it, though it be refused; another is not', async () => {
  const all = await open();
  const { types } = all.client.container;
  const renew = (properties) => all.client.request(`${all.queue}/$management`, { operation: 'com.microsoft:renew-lock', ...properties }, { 'lock-tokens': types.wrap_array([Buffer.alloc(16)], 0x98) });
  await passHalf(all);
  assert.equal((await renew({ 'associated-link-name': all.receiver.name })).application_properties.statusCode, 410);
  await standsFromNow(all);

  const other = watched(await all.client.receiver(all.queue));
  await broker.advance(MINUTE);
  await renew({});
  await renew({ 'associated-link-name': 'another' });
  await broker.advance(MINUTE);
  await all.client.exchange();
  assert.ok(other.isGone);
  all.client.close();
});

test('a request to another entity says nothing of a link, whatever it names', async () => {
  const { queue, client, receiver } = await open();
  await broker.advance(MINUTE);
  await client.request(`${await broker.queue()}/$management`, { operation: 'com.microsoft:peek-message', 'associated-link-name': receiver.name }, {});
  await broker.advance(MINUTE);
  await client.exchange();
  assert.ok(receiver.isGone);
  assert.equal((await broker.stats()).counts['idle-link'] > 0, true);
  client.close();
  await broker.control('DELETE', `queues/${queue}`);
});

test('a session goes with its link, and its messages count no delivery', async () => {
  const queue = await broker.queue({ requiresSession: true, lockDuration: 30 * MINUTE, linkIdleTimeout: 2 * MINUTE });
  const client = await connected();
  (await client.sender(queue)).send({ body: 'a', group_id: 'tour' });
  const accept = () => client.receiver({ address: queue, filter: { 'com.microsoft:session-filter': 'tour' } });
  const first = watched(await accept());
  first.add_credit(1);
  await once(first, 'message');
  const renew = (properties) => client.request(`${queue}/$management`, { operation: 'com.microsoft:renew-session-lock', ...properties }, { 'session-id': 'tour' });
  await broker.advance(MINUTE);
  assert.equal((await renew({ 'associated-link-name': first.name })).application_properties.statusCode, 200);
  await broker.advance(MINUTE);
  assert.equal((await renew({})).application_properties.statusCode, 200);
  await broker.advance(MINUTE);
  assert.equal((await renew({})).application_properties.errorCondition, 'com.microsoft:session-lock-lost');
  assert.ok(first.isGone);
  const second = await accept();
  second.add_credit(1);
  const [{ message }] = await once(second, 'message');
  assert.equal(message.delivery_count, 0);
  client.close();
});

test('Microsoft\'s client names its link when it renews, and so keeps it', async () => {
  const queue = await broker.queue({ requiresSession: true, lockDuration: 5 * MINUTE, linkIdleTimeout: 2 * MINUTE });
  const client = broker.client();
  await client.createSender(queue).sendMessages({ body: 'a', sessionId: 'tour' });
  const session = await client.acceptSession(queue, 'tour', { maxAutoLockRenewalDurationInMs: 0 });
  const message = await take(session);
  for (let i = 0; i < 3; i++) {
    await broker.advance(MINUTE);
    await session.renewSessionLock();
  }
  await session.completeMessage(message);
});

test('the whole broker can have it, and a queue may differ', async () => {
  const own = await Running.start('--link-idle-timeout', '600000');
  const [plain, patient] = [await own.queue(), await own.queue({ linkIdleTimeout: 0 })];
  const client = await connected(own);
  const links = [watched(await client.receiver(plain)), watched(await client.receiver(`${plain}/$DeadLetterQueue`)), watched(await client.receiver(patient))];
  await client.exchange();
  await own.advance(10 * MINUTE);
  await client.exchange();
  assert.deepEqual(links.map(({ isGone }) => isGone === true), [true, true, false]);
  client.close();
  await own.stop();
});

test('unless told, no link is ever too idle', async () => {
  const queue = await broker.queue();
  const client = await connected();
  const receiver = watched(await client.receiver(queue));
  await broker.advance(20 * MINUTE);
  await client.exchange();
  assert.ok(!receiver.isGone);
  client.close();
});

test('idleness sets one deadline at a time, however much travels', () => {
  const deadlines = [];
  const clock = { time: 0, now: () => clock.time, at: (time, act) => deadlines.push({ time, act }), cancel: () => {} };
  let isOver = false;
  const idleness = new Idleness(clock, 1000, () => (isOver = true));
  for (clock.time = 0; clock.time < 900; clock.time++) idleness.note();
  clock.time = 1000;
  deadlines[0].act();
  assert.deepEqual(deadlines.map(({ time }) => time), [1000, 1899]);
  assert.equal(isOver, false);
  clock.time = 1899;
  deadlines[1].act();
  assert.equal(isOver, true);
});

test('time spans are written as .NET writes them', () => {
  assert.deepEqual([600_000, 1_500, 90_061_000, 7].map(timeSpan), ['00:10:00', '00:00:01.5000000', '1.01:01:01', '00:00:00.0070000']);
});
