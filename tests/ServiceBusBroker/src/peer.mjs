import { Because, Refusal } from './refusal.mjs';
import { claimed, covers } from './tokens.mjs';

/** A client's connection: what it may do, for how long, and the links it has. */
export class Peer {
  #connection;
  #clock;
  #trusted;
  #claims = new Map();
  #links = new Set();
  #replies = [];

  constructor(connection, clock, trusted) {
    this.#connection = connection;
    this.#clock = clock;
    this.#trusted = trusted;
  }

  get connection() {
    return this.#connection;
  }

  get links() {
    return [...this.#links];
  }

  add(link) {
    this.#links.add(link);
  }

  remove(link) {
    this.#links.delete(link);
    this.#replies = this.#replies.filter((other) => other !== link);
  }

  /** A link by which the client takes the answers of a node. */
  addReplies(link) {
    this.add(link);
    this.#replies.push(link);
  }

  /** The link that a request's reply-to names: by its target's address, or by its own name where that is empty. */
  repliesFor(node, replyTo) {
    return this.#replies.findLast((link) => link.node === node && link.answers(replyTo));
  }

  /** A request about a link of an entity, by its name, is traffic on it. */
  noteTraffic(name, entity) {
    for (const link of this.#links) if (link.entity === entity && link.link.name === name) link.onTraffic();
  }

  grant(claim) {
    this.#clock.cancel(this.#claims.get(claim.path)?.deadline);
    const deadline = claim.until === Infinity ? null : this.#clock.at(claim.until, () => this.revoke(claim.path));
    this.#claims.set(claim.path, { ...claim, deadline });
  }

  /** Ends a claim, or all of them. Links that no other claim covers are detached. */
  revoke(path) {
    for (const claim of this.#claims.values()) {
      if (path !== undefined && claim.path !== path) continue;
      this.#clock.cancel(claim.deadline);
      this.#claims.delete(claim.path);
    }
    for (const link of this.#links)
      if (link.address && !this.#may(link.address)) link.close(new Refusal(Because.unauthorized, 'ExpiredToken: The token is expired, and was not renewed in time.'));
  }

  /** Refuses what no claim covers. */
  demand(address) {
    if (!this.#may(address)) throw new Refusal(Because.unauthorized, `Unauthorized access. A token for '${address}' is required to perform this operation.`);
  }

  /** The connection, or a session of it, is gone: so are its links. */
  end(session) {
    for (const link of this.#links) if (session === undefined || link.session === session) link.end();
    if (session !== undefined) return;
    for (const claim of this.#claims.values()) this.#clock.cancel(claim.deadline);
    this.#claims.clear();
  }

  #may(address) {
    return this.#trusted || [...this.#claims.keys()].some((path) => covers(path, claimed(address)));
  }
}
