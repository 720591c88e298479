// An AMQP 1.0 peer on an engine that is not ours: queues in memory, and orders given by messages to "control".
// Prints one line of JSON with its ports, and ends when its standard input does.
import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const require = createRequire(new URL('../../ServiceBusBroker/package.json', import.meta.url));
const rhea = require('rhea');
const { WebSocketServer } = require('ws');

const { values: options } = parseArgs({
  options: {
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    'tls-ca': { type: 'string' },
    user: { type: 'string' },
    password: { type: 'string' },
    mechanisms: { type: 'string', default: 'ANONYMOUS' },
    'max-frame-size': { type: 'string', default: '65536' },
    'idle-time-out': { type: 'string', default: '0' },
    'incoming-window': { type: 'string', default: '2048' },
    'credit': { type: 'string', default: '100' },
  },
});

const queues = new Map();
const queue = (name) => queues.get(name) ?? queues.set(name, { messages: [], senders: new Set() }).get(name);

const container = rhea.create_container({ id: 'rhea-peer' });
const accept = () => ({ outcome: undefined, start() { this.outcome = true; } });
const mechanisms = {
  ANONYMOUS: () => container.sasl_server_mechanisms.enable_anonymous(),
  PLAIN: () => container.sasl_server_mechanisms.enable_plain((user, password) => user === options.user && password === options.password),
  EXTERNAL: () => { container.sasl_server_mechanisms.EXTERNAL = accept; },
  MSSBCBS: () => { container.sasl_server_mechanisms.MSSBCBS = accept; },
};
options.mechanisms.split(',').filter(Boolean).forEach((name) => mechanisms[name]());

const settings = {
  max_frame_size: Number(options['max-frame-size']),
  idle_time_out: Number(options['idle-time-out']) || undefined,
  session_buffer_size: { incoming: Number(options['incoming-window']), outgoing: 65536 },
  require_sasl: options.mechanisms !== '',
  receiver_options: { autoaccept: false, credit_window: 0 },
  sender_options: { autosettle: false, treat_modified_as_released: false },
};

// What a message to "control" says is done to whoever sent it.
const orders = {
  'close-connection': ({ connection }) => connection.close({ condition: 'amqp:connection:forced', description: 'told to' }),
  'close-session': ({ session }) => session.close({ condition: 'amqp:resource-deleted', description: 'told to' }),
  'close-links': ({ session }) => session.each_link((link) => link.close({ condition: 'amqp:link:detach-forced', description: 'told to' }), () => true),
  'cut': ({ connection }) => connection.socket.destroy(),
  'freeze': () => { for (const end = Date.now() + 3_600_000; Date.now() < end;); },
};

// Left to itself, the system would hold back small frames until earlier ones are acknowledged.
container.on('connection_open', ({ connection }) => connection.socket.setNoDelay?.(true));

container.on('receiver_open', ({ receiver }) => {
  const address = receiver.target?.address;
  if (address === 'missing')
    return receiver.close({ condition: 'amqp:not-found', description: 'there is no such queue' });
  receiver.set_target({ address });
  if (receiver.source)
    receiver.set_source({ address: receiver.source.address });
  receiver.add_credit(Number(options.credit));
});

container.on('message', (context) => {
  const { receiver, delivery, message } = context;
  const address = receiver.target.address;
  if (address === 'rejecting') {
    delivery.update(true, rhea.message.rejected({ error: { condition: 'amqp:not-allowed', description: 'this queue takes nothing' } }).described());
  } else {
    if (!delivery.remote_settled)
      delivery.accept();
    const order = orders[message.body];
    if (address === 'control' && order)
      return setImmediate(() => order(context));
    queue(address).messages.push(message);
    pump(queue(address));
  }
  receiver.add_credit(1);
});

container.on('sender_open', ({ sender }) => {
  const address = sender.source?.address;
  if (address === 'missing')
    return sender.close({ condition: 'amqp:not-found', description: 'there is no such queue' });
  if (address === 'withheld')
    return withhold(sender);
  sender.set_source({ address });
  sender.set_target({ address: sender.target?.address });
  queue(address).senders.add(sender);
});

// Answers only when it is told to, by a message to the queue "withheld".
function withhold(sender) {
  sender.state.local_open = false;
  sender.state.open_requests = 0;
  queue('withheld').waiting = sender;
}

container.on('sendable', ({ sender }) => pump(queue(sender.source.address)));
container.on('sender_draining', ({ sender }) => {
  pump(queue(sender.source.address));
  if (sender.credit > 0)
    return sender.set_drained(true);
  sender.issue_flow = true;
});

// The outcome of one delivery, and of those that go back to their queue.
const { accepted, rejected, released, modified } = rhea.message;
container.on('accepted', ({ delivery }) => delivery.update(true, accepted().described()));
container.on('rejected', ({ delivery }) => delivery.update(true, rejected().described()));
container.on('released', (context) => giveBack(context, released().described()));
container.on('modified', (context) => giveBack(context, modified().described()));

function giveBack({ sender, delivery }, outcome) {
  delivery.update(true, outcome);
  const from = queue(sender.source.address);
  from.messages.unshift(delivery.message);
  setImmediate(() => pump(from));
}

container.on('sender_close', ({ sender }) => queues.forEach(({ senders }) => senders.delete(sender)));
container.on('disconnected', ({ connection }) => queues.forEach(({ senders }) => senders.forEach((sender) => sender.connection === connection && senders.delete(sender))));
for (const event of ['connection_error', 'session_error', 'sender_error', 'receiver_error', 'protocol_error', 'error'])
  container.on(event, (context) => console.error(event, context?.message ?? context?.connection?.error ?? ''));

function pump(from) {
  if (from.waiting && from.messages.length > 0) {
    const sender = from.waiting;
    from.waiting = undefined;
    sender.set_source({ address: 'withheld' });
    sender.open();
    from.senders.add(sender);
  }

  for (const sender of from.senders) {
    while (from.messages.length > 0 && sender.is_open() && sender.sendable()) {
      const message = from.messages.shift();
      const settled = sender.snd_settle_mode === 1;
      const delivery = sender.send(message);
      delivery.message = message;
      delivery.settled = settled;
    }
  }
}

const listening = (server) => new Promise((resolve) => server.on('listening', () => resolve(server.address().port)));
const ports = { amqp: await listening(container.listen({ ...settings, port: 0, host: '127.0.0.1' })) };
if (options['tls-cert']) {
  ports.amqps = await listening(container.listen({
    ...settings, port: 0, host: '127.0.0.1', transport: 'tls',
    cert: readFileSync(options['tls-cert']), key: readFileSync(options['tls-key']),
    ...(options['tls-ca'] ? { ca: readFileSync(options['tls-ca']), requestCert: true, rejectUnauthorized: true } : {}),
  }));
}

const http = createServer((_, response) => response.writeHead(404).end());
new WebSocketServer({ server: http, path: '/amqp', handleProtocols: (offered) => ['amqp', 'AMQPWSB10'].find((name) => offered.has(name)) ?? false })
  .on('connection', (socket) => {
    const timer = setInterval(() => socket.ping(), 20);
    socket.on('close', () => clearInterval(timer));
    container.websocket_accept(socket, settings);
  });
http.listen(0, '127.0.0.1');
ports.ws = await listening(http);

console.log(JSON.stringify(ports));
process.stdin.resume().on('end', () => process.exit()).on('close', () => process.exit());
