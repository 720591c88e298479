import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Broker } from './src/broker.mjs';
import { Control } from './src/control.mjs';
import { Listeners } from './src/listeners.mjs';

// Standard output says one thing: where the broker listens.
console.log = console.info = console.error;

const { values } = parseArgs({
  options: {
    host: { type: 'string', default: '127.0.0.1' },
    port: { type: 'string', default: '5672' },
    'tls-port': { type: 'string', default: '0' },
    'ws-port': { type: 'string', default: '0' },
    'wss-port': { type: 'string', default: '0' },
    'control-port': { type: 'string', default: '0' },
    'tls-cert': { type: 'string' },
    'tls-key': { type: 'string' },
    ws: { type: 'boolean', default: false },
    key: { type: 'string', multiple: true, default: ['RootManageSharedAccessKey=SAS_KEY_VALUE'] },
    bearer: { type: 'string', multiple: true, default: [] },
    config: { type: 'string' },
    'idle-timeout': { type: 'string', default: '240000' },
    'with-parent': { type: 'boolean', default: false },
  },
});

const broker = new Broker({ keys: Object.fromEntries(values.key.map((pair) => pair.split(/=(.*)/s).slice(0, 2))), bearers: values.bearer });

if (values.config) {
  const { queues = {}, topics = {} } = JSON.parse(readFileSync(values.config, 'utf8'));
  for (const [name, settings] of Object.entries(queues)) broker.namespace.putQueue(name, settings);
  for (const [name, { subscriptions = {}, ...settings }] of Object.entries(topics)) {
    broker.namespace.putTopic(name, settings);
    for (const [subscription, own] of Object.entries(subscriptions)) broker.namespace.putSubscription(name, subscription, own);
  }
}

const listeners = new Listeners(broker.container, {
  host: values.host,
  port: Number(values.port),
  tlsPort: Number(values['tls-port']),
  wsPort: Number(values['ws-port']),
  wssPort: Number(values['wss-port']),
  tlsCert: values['tls-cert'],
  tlsKey: values['tls-key'],
  ws: values.ws,
  idleTimeout: Number(values['idle-timeout']),
});
await listeners.open();
const control = await new Control(broker, listeners).open(Number(values['control-port']));
process.stdout.write(`${JSON.stringify({ ...listeners.ports, control })}\n`);

// Whoever started it holds the other end: when that is gone, so is the broker.
if (values['with-parent']) process.stdin.on('close', () => process.exit(0)).resume();
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
