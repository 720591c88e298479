import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { WebSocketServer } from 'ws';
import { accept, acceptWebSocket } from './engine.mjs';

const PATH = '/$servicebus/websocket';
const PROTOCOL = 'AMQPWSB10';

/** The doors of the broker. They can be closed and opened again, on the same ports. */
export class Listeners {
  #container;
  #options;
  #servers = [];
  #sockets = new Set();
  ports = { amqp: null, amqps: null, ws: null, wss: null };

  constructor(container, options) {
    this.#container = container;
    this.#options = options;
  }

  async open() {
    const { port, tls: secret, ws } = this.#options;
    await this.#listen('amqp', net.createServer((socket) => this.#serve(socket)), port);
    if (secret) await this.#listen('amqps', tls.createServer(secret, (socket) => this.#serve(socket)), this.#options.tlsPort);
    if (ws) await this.#listen('ws', this.#web(http.createServer()), this.#options.wsPort);
    if (ws && secret) await this.#listen('wss', this.#web(https.createServer(secret)), this.#options.wssPort);
  }

  /** Nobody is let in any more, and who was in is cut off. */
  async close() {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const socket of this.#sockets) socket.destroy();
    this.#servers = [];
    await Promise.all(closed);
  }

  async #listen(kind, server, port = 0) {
    server.on(kind === 'amqps' || kind === 'wss' ? 'secureConnection' : 'connection', (socket) => this.#watch(socket));
    server.on('tlsClientError', () => {});
    const { promise, resolve, reject } = withResolvers();
    server.once('error', reject);
    server.listen(this.ports[kind] ?? port, this.#options.host, resolve);
    await promise;
    this.ports[kind] = server.address().port;
    this.#servers.push(server);
  }

  #watch(socket) {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #serve(socket) {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    accept(this.#container, socket, this.#options);
  }

  #web(server) {
    const sockets = new WebSocketServer({ server, path: PATH, handleProtocols: (protocols) => (protocols.has(PROTOCOL) ? PROTOCOL : false) });
    sockets.on('connection', (webSocket) => acceptWebSocket(this.#container, webSocket, this.#options));
    return server;
  }
}

function withResolvers() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}
