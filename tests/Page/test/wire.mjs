import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/** What is between a browser and a worker: it may forget a connection, as a NAT does, and tell neither end. */
export class Wire {
  #pairs = new Set();
  #server;

  static async to({ hostname, port }) {
    const wire = new Wire();
    wire.#server = createServer((near) => wire.#join(near, connect(port, hostname)));
    wire.#server.listen(0, '127.0.0.1');
    await once(wire.#server, 'listening');
    wire.address = new URL(`http://127.0.0.1:${wire.#server.address().port}`);
    return wire;
  }

  /** Carries nothing any more of the answers to such requests. What else is connected is closed, so that the browser does not take it for its next request. */
  forget(request) {
    for (const { ends, asked } of this.#pairs) for (const end of ends) asked.includes(request) ? end.unpipe().pause() : end.destroy();
  }

  close() {
    this.#server.close();
    for (const { ends } of this.#pairs) for (const end of ends) end.destroy();
  }

  #join(near, far) {
    const pair = { ends: [near, far], asked: '' };
    this.#pairs.add(pair);
    for (const end of pair.ends) end.on('error', () => {});
    near.on('data', (data) => (pair.asked += data));
    near.pipe(far).pipe(near);
  }
}
