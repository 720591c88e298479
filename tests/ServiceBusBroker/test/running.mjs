import { ServiceBusClient } from '@azure/service-bus';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';

const PROGRAM = new URL('../broker.mjs', import.meta.url).pathname;
export const KEY = 'an-example-of-a-key=';

// How long a receive that ought to find nothing waits: what is there would come at once.
const BRIEFLY = 200;

/** A broker in a process of its own, as tests and benchmarks start it. */
export class Running {
  #process;
  #clients = [];
  #ahead = 0;

  static async start(...args) {
    const running = new Running();
    running.#process = spawn(process.execPath, [PROGRAM, '--port', '0', '--with-parent', '--key', `RootManageSharedAccessKey=${KEY}`, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await Promise.race([once(createInterface(running.#process.stdout), 'line'), once(running.#process, 'exit').then(([code]) => Promise.reject(new Error(`The broker ended with ${code}.`)))]);
    running.ports = JSON.parse(line);
    return running;
  }

  connectionString({ key = KEY, name = 'RootManageSharedAccessKey' } = {}) {
    return `Endpoint=sb://127.0.0.1:${this.ports.amqp};SharedAccessKeyName=${name};SharedAccessKey=${key};UseDevelopmentEmulator=true;`;
  }

  /** Microsoft's client, which does not try again by itself: what the broker says is what a test sees. */
  client(connectionString = this.connectionString(), options = {}) {
    const client = new ServiceBusClient(connectionString, { retryOptions: { maxRetries: 0, timeoutInMs: 10_000 }, ...options });
    this.#clients.push(client);
    return client;
  }

  /** A queue of its own for each test. Answers with its name. */
  async queue(settings = {}) {
    const name = `queue-${randomUUID()}`;
    await this.control('PUT', `queues/${name}`, settings);
    return name;
  }

  counts = async (queue) => (await this.control('GET', `queues/${queue}`)).counts;

  stats = () => this.control('GET', 'stats');

  fault = (fault) => this.control('POST', 'faults', fault);

  /** Time at the broker goes on at once. */
  async advance(milliseconds) {
    this.#ahead += milliseconds;
    await this.control('POST', 'clock', { milliseconds });
  }

  /** A time to come, by the broker's clock. */
  in = (milliseconds) => new Date(Date.now() + this.#ahead + milliseconds);

  async control(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${this.ports.control}/${path}`, { method, body: body === undefined ? undefined : JSON.stringify(body) });
    const text = await response.text();
    if (!response.ok) throw new Error(`${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  async stop() {
    await Promise.all(this.#clients.map((client) => client.close()));
    const ended = once(this.#process, 'exit');
    this.#process.stdin.end();
    const [code] = await ended;
    return code;
  }
}

const once = (emitter, event) => new Promise((resolve) => emitter.once(event, (...args) => resolve(args)));

/** The next message of a receiver, or undefined if there is none. */
export const take = async (receiver, milliseconds = 5_000) => (await receiver.receiveMessages(1, { maxWaitTimeInMs: milliseconds }))[0];

/** That nothing more comes. */
export async function nothing(receiver) {
  const messages = await receiver.receiveMessages(1, { maxWaitTimeInMs: BRIEFLY });
  if (messages.length > 0) throw new Error(`'${messages[0].messageId}' came, but nothing was to come.`);
}
