// Counts a queue's messages out with Microsoft's SDK, each completed by itself. Says when it consumes, then what it found, and stays until its
// standard input ends. What it is to do comes as JSON in its argument, as the benchmark's own clients get it.
import { ServiceBusClient } from '@azure/service-bus';

const { ServiceBus: connection, Queue: queue, Prefetch: atOnce, WarmUp: warmUp, Messages: messages } = JSON.parse(process.argv[2]);

const client = new ServiceBusClient(connection);
const receiver = client.createReceiver(queue, { receiveMode: 'peekLock', maxAutoLockRenewalDurationInMs: 0 });
let handled = 0;
let start;

const look = () => ({ at: process.hrtime.bigint(), cpu: process.cpuUsage() });

const tell = (end) => {
  const cpu = end.cpu.user + end.cpu.system - start.cpu.user - start.cpu.system;
  console.log(JSON.stringify({ Elapsed: duration(Number(end.at - start.at) / 1e9), Cpu: duration(cpu / 1e6), Handled: messages }));
};

const duration = (seconds) => `00:${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(7).padStart(10, '0')}`;

receiver.subscribe(
  {
    processMessage: async (message) => {
      await receiver.completeMessage(message);
      handled++;
      if (handled === warmUp) start = look();
      if (handled === warmUp + messages) tell(look());
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
