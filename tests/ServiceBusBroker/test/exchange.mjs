// A client in a process of its own, for it trusts another authority: NODE_EXTRA_CA_CERTS is read when Node starts. It sends a message, and says what comes back.
import { ServiceBusClient } from '@azure/service-bus';
import WebSocket from 'ws';

const { connectionString, queue, endpoint, overWebSockets } = JSON.parse(process.argv[2]);
const client = new ServiceBusClient(connectionString, {
  customEndpointAddress: endpoint,
  retryOptions: { maxRetries: 0, timeoutInMs: 10_000 },
  ...(overWebSockets ? { webSocketOptions: { webSocket: WebSocket } } : {}),
});
await client.createSender(queue).sendMessages({ body: 'hello' });
const receiver = client.createReceiver(queue);
const [message] = await receiver.receiveMessages(1);
await receiver.completeMessage(message);
await client.close();
process.stdout.write(message.body);
