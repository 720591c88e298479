import { Cbs } from './cbs.mjs';
import { Clock } from './clock.mjs';
import { Counts } from './counts.mjs';
import { Egress } from './egress.mjs';
import { createContainer, cut, openToAll, takeOver, terminus, withhold } from './engine.mjs';
import { Faults } from './faults.mjs';
import { Ingress } from './ingress.mjs';
import { Link } from './link.mjs';
import { Management } from './management.mjs';
import { Namespace, pathOf } from './namespace.mjs';
import { Peer } from './peer.mjs';
import { Because, Refusal } from './refusal.mjs';
import { ReplyLink, RequestLink } from './requests.mjs';
import { Tokens } from './tokens.mjs';
import { Topic } from './topic.mjs';

const MANAGEMENT = /^(.+)\/\$management$/i;

/** What clients of the AMQP engine meet: it admits their links, or refuses them, and knows who is there. */
export class Broker {
  clock = new Clock();
  counts = new Counts();
  faults = new Faults(this.clock);
  namespace = new Namespace(this.clock);
  #peers = new Set();
  #cbs;

  constructor({ keys, bearer, linkIdleTimeout = 0 }) {
    this.linkIdleTimeout = linkIdleTimeout;
    const tokens = new Tokens(this.clock, keys, bearer);
    this.#cbs = new Cbs(tokens);
    this.container = createContainer({ MSSBCBS: openToAll, ANONYMOUS: openToAll, PLAIN: () => plain(tokens) });
    this.#listen();
  }

  get peers() {
    return [...this.#peers];
  }

  /** Breaks a client's connection without a word. */
  cut(peer) {
    cut(peer.connection);
    this.#forget(peer.connection);
  }

  stop() {
    this.clock.stop();
  }

  #listen() {
    const on = (name, act) => this.container.on(name, act);
    on('connection_open', ({ connection }) => this.#meet(connection));
    on('connection_close', ({ connection }) => this.#forget(connection));
    on('disconnected', ({ connection }) => this.#forget(connection));
    on('session_open', ({ session }) => takeOver(session, { onDisposition: (delivery, state, settled) => delivery.link.handler?.onDisposition(delivery, state, settled), onWindow: () => setImmediate(() => flowed(session)) }));
    on('session_close', ({ connection, session }) => connection.peer?.end(session));
    on('sender_open', ({ connection, sender }) => this.#attach(connection.peer, sender, terminus(sender.source)?.address, (address) => this.#outbound(connection.peer, sender, address)));
    on('receiver_open', ({ connection, receiver }) => this.#attach(connection.peer, receiver, terminus(receiver.target)?.address, (address) => this.#inbound(connection.peer, receiver, address)));
    on('sender_close', ({ sender }) => sender.handler?.end());
    on('receiver_close', ({ receiver }) => receiver.handler?.end());
    on('sender_flow', ({ sender }) => {
      sender.handler?.onTraffic();
      sender.handler?.onFlow();
    });
    on('message', ({ receiver, message, delivery, format }) => receiver.handler?.isLive && receiver.handler.onMessage(message, format, delivery));
    // A client's protocol error ends its connection, which rhea sees to; the broker lives on.
    for (const name of ['error', 'protocol_error', 'connection_error', 'session_error', 'sender_error', 'receiver_error']) on(name, (context) => this.#report(name, context));
  }

  #meet(connection) {
    connection.peer = new Peer(connection, this.clock, connection.sasl_transport?.selected?.mechanism?.trusted ?? connection.sasl_transport?.mechanism?.trusted ?? false);
    this.#peers.add(connection.peer);
    this.counts.add('connect');
    // What the broker itself breaks is not reported as disconnected.
    connection.socket.once?.('close', () => this.#forget(connection));
  }

  #forget(connection) {
    if (!connection.peer || !this.#peers.delete(connection.peer)) return;
    connection.peer.end();
  }

  #attach(peer, link, address, open) {
    withhold(link);
    const path = pathOf(address ?? '');
    this.counts.add('attach');
    let handler;
    try {
      handler = open(path);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      new Link(peer, link, null).refuse(refusal);
      return;
    }
    this.faults.run('attach', handler.entity?.path ?? path, {
      perform: () => handler.isLive && attempt(handler),
      refuse: (refusal) => handler.refuse(refusal),
      cut: () => this.cut(peer),
    });
  }

  #outbound(peer, link, address) {
    if (address === '$cbs') return new ReplyLink(peer, link, address, null);
    const entity = this.#entity(peer, address);
    if (MANAGEMENT.test(address)) return new ReplyLink(peer, link, address, entity);
    if (entity instanceof Topic) throw new Refusal(Because.notAllowed, `Messages are received from a topic's subscriptions, not from the topic '${entity.path}'.`);
    return new Egress(peer, link, address, entity, this);
  }

  #inbound(peer, link, address) {
    if (address === '$cbs') return new RequestLink(peer, link, address, this.#cbs, this);
    if (!terminus(link.target)) throw new Refusal(Because.notImplemented, 'Transactions are not supported.');
    const entity = this.#entity(peer, address);
    if (MANAGEMENT.test(address)) return new RequestLink(peer, link, address, new Management(entity, this.counts), this);
    return new Ingress(peer, link, address, entity, this);
  }

  // Whoever may not enter does not learn what there is.
  #entity(peer, address) {
    peer.demand(address);
    const entity = this.namespace.find(address.match(MANAGEMENT)?.[1] ?? address);
    if (!entity.settings.enabled) throw new Refusal(Because.entityDisabled, `The messaging entity '${entity.path}' is disabled.`);
    return entity;
  }

  #report(name, context) {
    const error = context?.error ?? context?.session?.error ?? context?.sender?.error ?? context?.receiver?.error ?? context;
    process.stderr.write(`${name}: ${error?.condition ?? ''} ${error?.description ?? error?.message ?? ''}\n`);
  }
}

function attempt(handler) {
  try {
    handler.open();
  } catch (refusal) {
    if (!(refusal instanceof Refusal)) throw refusal;
    handler.refuse(refusal);
  }
}

function flowed(session) {
  for (const name in session.links) session.links[name].handler?.onFlow();
}

/** SASL PLAIN with the name of a key and the key: such a connection needs no token. */
const plain = (tokens) => ({
  start(response) {
    const [, name, key] = response.toString().split('\0');
    this.trusted = this.outcome = tokens.knows(name, key ?? '');
    this.username = name;
  },
});
