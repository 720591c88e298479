import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const built = ['Release', 'Debug'].map((configuration) => fileURLToPath(new URL(`../../../src/Worker/bin/${configuration}/net10.0/Holdfast.Worker.dll`, import.meta.url))).filter(existsSync);

/** The worker in a process of its own, set up as a person does it. */
export class Worker {
  #process;

  static async start(settings = {}) {
    if (built.length === 0) throw new Error('The worker is not built; run dotnet build src/Worker.');
    const program = built.reduce((one, other) => (statSync(one).mtimeMs > statSync(other).mtimeMs ? one : other));
    const worker = new Worker();
    worker.#process = spawn('dotnet', [program], { env: { ...process.env, ASPNETCORE_HTTP_PORTS: '0', ...settings }, stdio: ['ignore', 'pipe', 'inherit'] });
    worker.ended = new Promise((resolve) => worker.#process.once('exit', (code) => resolve(code)));
    for await (const line of createInterface(worker.#process.stdout)) {
      const [, address] = line.match(/Status page: (\S+)/) ?? [];
      if (!address) continue;
      worker.address = new URL(address);
      worker.#process.stdout.resume();
      return worker;
    }

    throw new Error(`The worker ended with ${await worker.ended}.`);
  }

  get id() {
    return this.#process.pid;
  }

  /** Asks it to stop, and waits for its end. */
  async stop() {
    this.#process.kill('SIGTERM');
    return this.ended;
  }

  async kill() {
    this.#process.kill('SIGKILL');
    return this.ended;
  }
}

/** A free port from below the range that the system gives to outgoing connections: one that is let go for a restart is still free after it. */
export async function portToComeBackTo() {
  for (;;) {
    const server = createServer().listen(20_000 + Math.floor(Math.random() * 12_000));
    try {
      await once(server, 'listening');
      const { port } = server.address();
      server.close();
      await once(server, 'close');
      return `${port}`;
    } catch (taken) {
      if (taken.code !== 'EADDRINUSE') throw taken;
    }
  }
}
