import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import rhea from 'rhea';
import { BATCH_FORMAT } from '../src/wire.mjs';
import { Raw } from './raw.mjs';
import { KEY, Running, take } from './running.mjs';

let broker;
before(async () => (broker = await Running.start()));
after(() => broker.stop());

const receiving = (queue, connectionString) => take(broker.client(connectionString).createReceiver(queue));
const sending = (queue, connectionString) => broker.client(connectionString).createSender(queue).sendMessages({ body: 'a' });

async function raw(key = KEY) {
  const client = await Raw.connect(broker.ports.amqp);
  const answer = await client.authorize(key);
  return { client, status: answer.application_properties['status-code'], description: answer.application_properties['status-description'] };
}

test('a wrong key is refused', async () => {
  const queue = await broker.queue();
  await assert.rejects(receiving(queue, broker.connectionString({ key: 'wrong' })), { code: 'UnauthorizedAccess' });
  await assert.rejects(sending(queue, broker.connectionString({ key: 'wrong' })), { code: 'UnauthorizedAccess' });
});

test('a key by an unknown name is refused', async () => {
  const queue = await broker.queue();
  await assert.rejects(receiving(queue, broker.connectionString({ name: 'nobody' })), { code: 'UnauthorizedAccess' });
});

test('a token whose time is over, or that is for another queue, opens nothing', async () => {
  const queue = await broker.queue();
  const client = await Raw.connect(broker.ports.amqp);
  const late = await client.authorize(KEY, { until: Date.now() - 1_000 });
  assert.equal(late.application_properties['status-code'], 401);
  assert.equal((await client.authorize(KEY, { audience: 'sb://127.0.0.1/other' })).application_properties['status-code'], 202);
  await assert.rejects(client.receiver(queue), { condition: 'amqp:unauthorized-access' });
  client.close();
});

test('nothing is opened without a token', async () => {
  const queue = await broker.queue();
  const client = await Raw.connect(broker.ports.amqp);
  await assert.rejects(client.receiver(queue), { condition: 'amqp:unauthorized-access' });
  await assert.rejects(client.sender(queue), { condition: 'amqp:unauthorized-access' });
  await assert.rejects(client.request(`${queue}/$management`, {}, {}), { condition: 'amqp:unauthorized-access' });
  client.close();
});

test('an entity that is not there is not found, neither to send nor to receive nor to ask', async () => {
  await assert.rejects(receiving('nowhere'), { code: 'MessagingEntityNotFound' });
  await assert.rejects(sending('nowhere'), { code: 'MessagingEntityNotFound' });
  await assert.rejects(broker.client().createReceiver('nowhere').peekMessages(1), { code: 'MessagingEntityNotFound' });
  await assert.rejects(receiving('nowhere/Subscriptions/none'), { code: 'MessagingEntityNotFound' });
});

test('entities are found in upper and lower case', async () => {
  await broker.control('PUT', 'queues/Mixed', {});
  await sending('mIXED');
  assert.equal((await receiving('MIXED')).body, 'a');
});

test('a queue of sessions is not opened without one, nor is a plain queue with one', async () => {
  const sessions = await broker.queue({ requiresSession: true });
  const plain = await broker.queue();
  await assert.rejects(receiving(sessions), { name: 'ServiceBusError', message: /requires sessions/ });
  await assert.rejects(broker.client().acceptSession(plain, 'a'), { name: 'ServiceBusError' });
});

test('a message without a session is not taken where sessions are required', async () => {
  const queue = await broker.queue({ requiresSession: true });
  await assert.rejects(sending(queue), { message: /SessionId was not set/ });
  assert.equal((await broker.counts(queue)).active, 0);
});

test('a queue that is disabled is not opened', async () => {
  const queue = await broker.queue({ enabled: false });
  await assert.rejects(receiving(queue), { code: 'MessagingEntityDisabled' });
});

test('a topic is not received from', async () => {
  await broker.control('PUT', 'topics/loud', {});
  await assert.rejects(receiving('loud'), { message: /subscriptions/ });
});

test('a message that is too large ends its link, and nothing of it is kept', async () => {
  const queue = await broker.queue({ maxMessageBytes: 1024 });
  const { client } = await raw();
  const sender = await client.sender(queue);
  assert.equal(sender.max_message_size, 1024);
  sender.send({ body: 'a'.repeat(2_000) });
  await once(sender, 'sender_error');
  assert.equal(sender.error.condition, 'amqp:link:message-size-exceeded');
  assert.equal((await broker.counts(queue)).active, 0);
  client.close();
});

test('a batch that is too large ends its link, and nothing of it is kept; a single message as large is taken', async () => {
  const queue = await broker.queue({ maxMessageBytes: 8192, maxBatchBytes: 1024 });
  const { client } = await raw();
  const sender = await client.sender(queue);
  assert.equal(sender.max_message_size, 8192);
  const message = rhea.message.encode({ body: 'a'.repeat(600) });
  const batch = (...messages) => sender.send(rhea.message.encode({ body: rhea.message.data_sections(messages) }), undefined, BATCH_FORMAT);
  sender.send({ body: 'a'.repeat(2_000) });
  await once(sender, 'accepted');
  batch(message);
  await once(sender, 'accepted');
  batch(message, message);
  await once(sender, 'sender_error');
  assert.equal(sender.error.condition, 'amqp:not-allowed');
  assert.match(sender.error.description, /^The link '.+' is force detached by the broker because publisher\(link\d+\) received a batch message with no data in it\. Detach origin: Publisher\.$/);
  assert.equal((await broker.counts(queue)).active, 2);
  client.close();
});

test('what can not be decoded is rejected', async () => {
  const queue = await broker.queue();
  const { client } = await raw();
  const sender = await client.sender(queue);
  sender.send(Buffer.from('nonsense'), undefined, 0);
  const [{ delivery }] = await once(sender, 'rejected');
  assert.equal(delivery.remote_state.error.condition, 'amqp:decode-error');
  client.close();
});

test('transactions are refused', async () => {
  const { client } = await raw();
  const session = client.connection.create_session();
  session.open();
  const { types } = client.container;
  const link = session.create_sender('coordinator', {});
  link.local.attach.target = types.described(types.wrap_ulong(0x30), types.wrap_list([]));
  link.attach();
  await once(link, 'sender_error');
  assert.equal(link.error.condition, 'amqp:not-implemented');
  client.close();
});

test('an operation that is not known, or that lacks what it needs, is refused', async () => {
  const queue = await broker.queue();
  const { client } = await raw();
  const ask = async (operation, body) => (await client.request(`${queue}/$management`, { operation: `com.microsoft:${operation}` }, body)).application_properties.statusCode;
  assert.equal(await ask('fly', {}), 501);
  assert.equal(await ask('renew-lock', {}), 400);
  assert.equal(await ask('renew-lock', 'nonsense'), 400);
  assert.equal(await ask('renew-session-lock', { 'session-id': 'a' }), 403);
  client.close();
});

test('a SAS key opens a connection by SASL PLAIN, too; a wrong one does not', async () => {
  const queue = await broker.queue();
  const connect = (password) => rhea.create_container().connect({ host: '127.0.0.1', port: broker.ports.amqp, username: 'RootManageSharedAccessKey', password, reconnect: false });
  const right = connect(KEY);
  await once(right.open_receiver(queue), 'receiver_open');
  right.close();
  const wrong = connect('wrong');
  wrong.on('disconnected', () => {});
  const [{ error }] = await once(wrong, 'connection_error');
  assert.equal(error.condition, 'amqp:unauthorized-access');
});
