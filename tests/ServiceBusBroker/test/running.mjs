import { ServiceBusClient } from '@azure/service-bus';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';

const PROGRAM = new URL('../broker.mjs', import.meta.url).pathname;
const KEY = 'an-example-of-a-key=';

/** A broker in a process of its own, as tests and benchmarks start it. */
export class Running {
  #process;
  #clients = [];

  static async start(...args) {
    const running = new Running();
    running.#process = spawn(process.execPath, [PROGRAM, '--port', '0', '--with-parent', '--key', `RootManageSharedAccessKey=${KEY}`, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = await Promise.race([once(createInterface(running.#process.stdout), 'line'), once(running.#process, 'exit').then(([code]) => Promise.reject(new Error(`The broker ended with ${code}.`)))]);
    running.ports = JSON.parse(line);
    return running;
  }

  /** How many milliseconds a receive that ought to find nothing waits. */
  static get briefly() {
    return 200;
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
  advance = (milliseconds) => this.control('POST', 'clock', { milliseconds });

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
