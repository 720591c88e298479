import { Broker } from './src/broker.mjs';
import { Control } from './src/control.mjs';
import { Listeners } from './src/listeners.mjs';
import { HELP, settingsOf } from './src/settings.mjs';

// Standard output says one thing: where the broker listens.
console.log = console.info = console.error;

try {
  const settings = settingsOf(process.argv.slice(2));
  if (settings.help) process.stdout.write(HELP);
  else await run(settings);
} catch (error) {
  process.stderr.write(`${error.message.split('\n')[0]}\n`);
  process.exit(1);
}

async function run(settings) {
  const broker = new Broker(settings);
  broker.namespace.fill(settings.entities);
  const listeners = new Listeners(broker.container, settings);
  await listeners.open();
  const control = await new Control(broker, listeners).open(settings.controlPort);
  // Whoever started it holds the other end: when that is gone, so is the broker.
  if (settings.withParent) process.stdin.on('close', () => process.exit(0)).resume();
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0));
  process.stdout.write(`${JSON.stringify({ ...listeners.ports, control })}\n`);
}
