// Counts a queue's messages out with Microsoft's SDK, each completed by itself. A warm-up in several parts comes first, and after each of them handlers
// hold still until the JIT compiler has caught up, as the benchmark's own clients do. Says when it consumes, then what it found, and stays until its
// standard input ends. What it is to do comes as JSON in its argument, as those clients get it.
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceBusClient } from '@azure/service-bus';

const { ServiceBus: connection, Queue: queue, Prefetch: atOnce, WarmUp: warmUp, Messages: messages } = JSON.parse(process.argv[2]);
const warmUps = 4;
const part = warmUp / warmUps;

const promise = () => {
  let resolve;
  return { until: new Promise((done) => (resolve = done)), resolve };
};

const stage = (left) => ({ left, gate: promise(), done: promise() });
const stages = [...Array.from({ length: warmUps }, () => stage(part)), stage(messages)];

const client = new ServiceBusClient(connection);
const receiver = client.createReceiver(queue, { receiveMode: 'peekLock', maxAutoLockRenewalDurationInMs: 0 });
let begun = 0;
let end;

const look = () => ({ at: process.hrtime.bigint(), cpu: process.cpuUsage() });

// V8 says nothing of its compiler's threads: while they work, the process takes CPU.
const quiet = async () => {
  for (let looks = 0; looks < 20; looks++) {
    const before = process.cpuUsage();
    await delay(150);
    const { user, system } = process.cpuUsage(before);
    if (user + system < 5_000) return;
  }
};

const duration = (seconds) => `00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(7).padStart(10, '0')}`;

receiver.subscribe(
  {
    processMessage: async (message) => {
      const mine = stages[Math.min(Math.floor(begun++ / part), warmUps)];
      await mine.gate.until;
      await receiver.completeMessage(message);
      if (--mine.left > 0) return;
      end = look();
      mine.done.resolve();
    },
    processError: async ({ error }) => {
      console.error(error);
      process.exit(1);
    },
  },
  { autoCompleteMessages: false, maxConcurrentCalls: atOnce },
);

console.log('ready');
process.stdin.on('end', () => process.exit(0)).resume();

for (const one of stages.slice(0, warmUps)) {
  one.gate.resolve();
  await one.done.until;
  await quiet();
}

const start = look();
stages[warmUps].gate.resolve();
await stages[warmUps].done.until;
const cpu = end.cpu.user + end.cpu.system - start.cpu.user - start.cpu.system;
console.log(JSON.stringify({ Elapsed: duration(Number(end.at - start.at) / 1e9), Cpu: duration(cpu / 1e6), Handled: messages }));
