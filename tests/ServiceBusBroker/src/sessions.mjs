import { Because, Refusal } from './refusal.mjs';
import { Shelf } from './shelf.mjs';

/** The sessions of a queue: what waits in each, its state, and who holds it until when. */
export class Sessions {
  #queue;
  #clock;
  #sessions = new Map();
  #waiting = [];

  constructor(queue, clock) {
    this.#queue = queue;
    this.#clock = clock;
  }

  put(message) {
    this.#of(message.sessionId).shelf.put(message);
    this.#serve();
  }

  shelfOf(id) {
    return this.#of(id).shelf;
  }

  /** Locks a session by its name. The holder is told by `lost(refusal)` when it ends without its doing. */
  accept(id, holder) {
    const session = this.#of(id);
    if (session.holder) throw new Refusal(Because.sessionCannotBeLocked, `The requested session '${id}' cannot be accepted. It may be locked by another receiver.`);
    return this.#lock(session, holder);
  }

  /** Locks the next session that has messages and no holder, as soon as there is one: then `accepted(session)`. Answers with a way to call it off. */
  acceptNext(holder, accepted) {
    const waiting = { holder, accepted };
    this.#waiting.push(waiting);
    this.#serve();
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
    };
  }

  /** The session, if anybody holds it. */
  lockOf(id) {
    const session = this.#sessions.get(id);
    if (!session?.holder) throw lost(id);
    return session;
  }

  renew(id, peer) {
    return this.#setLock(this.#lockFor(id, peer));
  }

  setState(id, state, peer) {
    this.#lockFor(id, peer).state = state;
  }

  stateOf(id, peer) {
    return this.#lockFor(id, peer).state;
  }

  /** The holder gives it up. Deliveries that it did not settle do not count. */
  giveUp(session, holder) {
    if (session.holder === holder) this.#end(session, false);
  }

  /** Takes a session from whoever holds it. With `tell` the holder hears of it; else it finds out. */
  steal(id, { tell = true, milliseconds = this.#queue.settings.lockDuration } = {}) {
    const session = this.#of(id);
    const holder = session.holder;
    if (holder) this.#end(session, true);
    this.#lock(session, { lost() {} }, milliseconds);
    if (tell) holder?.lost(lost(id));
  }

  list() {
    return [...this.#sessions.values()].map(({ id, shelf, holder, until }) => ({ id, waiting: shelf.size, locked: holder !== null, lockedUntil: holder ? until : null }));
  }

  // Who asks must hold it, by a link of the same connection: to anybody else it is lost.
  #lockFor(id, peer) {
    const session = this.lockOf(id);
    if (session.holder.peer !== peer) throw lost(id);
    return session;
  }

  #of(id) {
    let session = this.#sessions.get(id);
    if (!session) {
      session = { id, shelf: new Shelf(), state: null, holder: null, until: 0, deadline: null };
      this.#sessions.set(id, session);
    }
    return session;
  }

  #lock(session, holder, milliseconds) {
    session.holder = holder;
    this.#setLock(session, milliseconds);
    return session;
  }

  #setLock(session, milliseconds = this.#queue.settings.lockDuration) {
    this.#clock.cancel(session.deadline);
    session.until = this.#clock.now() + milliseconds;
    session.deadline = this.#clock.at(session.until, () => {
      const { holder } = session;
      this.#queue.expiredLocks++;
      this.#end(session, true);
      holder.lost(lost(session.id));
    });
    return session.until;
  }

  #end(session, failed) {
    this.#clock.cancel(session.deadline);
    session.holder = null;
    this.#queue.letGoOf(session, failed);
    this.#serve();
  }

  // The session whose first message is the oldest comes first, and so does who has waited longest.
  #serve() {
    while (this.#waiting.length > 0) {
      let next = null;
      for (const session of this.#sessions.values())
        if (!session.holder && session.shelf.size > 0 && (!next || session.shelf.first().place < next.shelf.first().place)) next = session;
      if (!next) return;
      const { holder, accepted } = this.#waiting.shift();
      accepted(this.#lock(next, holder));
    }
  }
}

const lost = (id) => new Refusal(Because.sessionLockLost, `The session lock has expired on the session '${id}', or was lost. Accept a new session.`);
