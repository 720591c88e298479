import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

export const HELP = `A small broker that speaks Azure Service Bus, for tests and local development.

node broker.mjs [options]

  --host ADDRESS          where to listen; 127.0.0.1 unless told
  --port N                AMQP without TLS; 5672 unless told, 0 for any that is free
  --tls-cert F --tls-key F   AMQP over TLS, with this certificate and key (PEM)
  --tls-port N            its port; any that is free unless told
  --ws                    AMQP over WebSockets, too; over TLS as well, where there is a certificate
  --ws-port N, --wss-port N   their ports; any that are free unless told
  --control-port N        HTTP and JSON for tests, on 127.0.0.1; any that is free unless told
  --config F              queues and topics to begin with (JSON); see entities.json
  --key NAME=KEY          a shared access key; RootManageSharedAccessKey=SAS_KEY_VALUE unless told; may be given several times
  --bearer TOKEN          an OAuth token that is let in; may be given several times
  --idle-timeout MS       after how long a silence a client is cut off; 240000 unless told
  --link-idle-timeout MS  after how long an idle link that receives is detached, where its queue does not say it; 0, for never, unless told
  --channel-max N         how many sessions a connection may have, less one; 4999 unless told
  --with-parent           end when standard input ends
  --help                  this

Its one line of output says where it listens.
`;

const NUMBERS = ['port', 'tls-port', 'ws-port', 'wss-port', 'control-port', 'idle-timeout', 'link-idle-timeout', 'channel-max'];

const OPTIONS = {
  help: { type: 'boolean', default: false },
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
  'link-idle-timeout': { type: 'string', default: '0' },
  'channel-max': { type: 'string', default: '4999' },
  'with-parent': { type: 'boolean', default: false },
};

/** What the command line says. What is wrong with it is one sentence. */
export function settingsOf(args) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const settings = {};
  for (const [name, value] of Object.entries(values)) settings[name.replace(/-(.)/g, (_, letter) => letter.toUpperCase())] = NUMBERS.includes(name) ? numberOf(name, value) : value;
  if ((settings.tlsCert === undefined) !== (settings.tlsKey === undefined)) throw new Error('--tls-cert and --tls-key go together.');
  return { ...settings, keys: Object.fromEntries(settings.key.map(pairOf)), entities: settings.config ? read(settings.config, '--config', JSON.parse) : {}, tls: settings.tlsCert && { cert: read(settings.tlsCert, '--tls-cert'), key: read(settings.tlsKey, '--tls-key') } };
}

function numberOf(name, value) {
  if (!/^\d+$/.test(value)) throw new Error(`--${name} takes a whole number, not '${value}'.`);
  return Number(value);
}

function pairOf(text) {
  const [name, key] = text.split(/=(.*)/s);
  if (!name || !key) throw new Error('--key takes a name and a key: NAME=KEY.');
  return [name, key];
}

function read(file, option, parse = (text) => text) {
  try {
    return parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${option}: '${file}' can't be read: ${error.message}.`);
  }
}
