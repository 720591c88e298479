import { randomBytes } from 'node:crypto';
import { answerDrain, canSend, done, send, settle, terminus } from './engine.mjs';
import { Idleness, timeSpan } from './idleness.mjs';
import { Link } from './link.mjs';
import { answerTo, apply, outcomeOf, rejection } from './outcome.mjs';
import { Because, Refusal } from './refusal.mjs';
import { described, swapGuid, ticks } from './wire.mjs';

export const SESSION_FILTER = 'com.microsoft:session-filter';

// How a client says, on attaching, that it settles nothing.
const SETTLED = 1;

/** A link on which a client takes messages of one queue, or of one session of it. */
export class Egress extends Link {
  #queue;
  #broker;
  #held = null;
  #lost = false;
  #callOff = null;
  #isReady = false;
  #idleness = null;

  constructor(peer, link, address, queue, broker) {
    super(peer, link, address);
    this.#queue = queue;
    this.#broker = broker;
    this.deletes = link.snd_settle_mode === SETTLED;
  }

  get entity() {
    return this.#queue;
  }

  /** The session it takes messages of, as queues know it. */
  get held() {
    return this.#held;
  }

  open() {
    this.link.set_source({ address: this.address });
    this.link.local.attach.target = terminus(this.link.target)?.described();
    this.link.local.attach.snd_settle_mode = this.link.snd_settle_mode ?? undefined;
    this.link.local.attach.rcv_settle_mode = this.link.rcv_settle_mode ?? undefined;
    const filter = this.link.source.filter ?? {};
    if (SESSION_FILTER in filter) this.#openSession(filter[SESSION_FILTER] ?? null);
    else if (this.#queue.sessions) throw new Refusal(Because.notAllowed, `It is not possible for an entity that requires sessions to create a non-sessionful message receiver. Entity: '${this.#queue.path}'.`);
    else this.#start();
  }

  wants() {
    return this.#isReady && this.isLive && canSend(this.link);
  }

  hand(message) {
    const { lock } = message;
    const tag = lock ? swapGuid(Buffer.from(lock.token, 'hex')) : randomBytes(16);
    const delivery = send(this.link, message.encode(lock && (lock.session?.until ?? lock.until)), tag, this.deletes);
    delivery.token = lock?.token;
    this.onTraffic();
    this.#broker.counts.add('transfer');
  }

  onFlow() {
    this.#queue.offer();
    if (this.link._draining) this.#drain();
  }

  onTraffic() {
    this.#idleness?.note();
  }

  onDisposition(delivery, state, settled) {
    this.onTraffic();
    // What a link has left unsettled is not settled by it after its end: only by the lock's token.
    if (!this.isLive || delivery.isBeingSettled) return;
    const outcome = outcomeOf(state);
    if (outcome.kind === 'unknown') return;
    delivery.isBeingSettled = true;
    const answer = (reply) => {
      if (settled) done(delivery);
      else if (this.isLive) settle(delivery, reply);
      this.onTraffic();
    };
    this.#broker.faults.run('settle', this.#queue.path, {
      perform: (how) => {
        const reply = this.#settle(delivery, outcome, state);
        if (how === 'answer') answer(reply);
        else if (how === 'nonsense') answer(described(0x99, []));
      },
      refuse: (refusal) => answer(rejection(refusal)),
      cut: () => this.#broker.cut(this.peer),
    });
  }

  /** Its session is no longer its own. */
  lost(refusal) {
    this.#lost = true;
    this.close(refusal);
  }

  onEnd() {
    this.#callOff?.();
    this.#idleness?.stop();
    this.#queue.leave(this);
    if (this.#held) this.#queue.sessions.giveUp(this.#held, this);
  }

  #openSession(id) {
    if (!this.#queue.sessions) throw new Refusal(Because.notAllowed, `A sessionful message receiver cannot be created on an entity that does not require sessions. Entity: '${this.#queue.path}'.`);
    if (id !== null) return this.#startSession(this.#queue.sessions.accept(id, this));
    const patience = this.link.properties?.['com.microsoft:timeout'] ?? 60_000;
    const deadline = this.#broker.clock.at(this.#broker.clock.now() + patience, () => {
      this.#callOff();
      this.refuse(new Refusal(Because.timeout, 'The operation did not complete within the allotted time: there is no session with messages that nobody holds.'));
    });
    const callOff = this.#queue.sessions.acceptNext(this, (session) => {
      this.#broker.clock.cancel(deadline);
      this.#callOff = null;
      this.#startSession(session);
    });
    this.#callOff = this.#held ? null : () => (callOff(), this.#broker.clock.cancel(deadline));
  }

  #startSession(session) {
    this.#held = session;
    this.link.set_source({ address: this.address, filter: { [SESSION_FILTER]: session.id } });
    this.link.local.attach.properties = { 'com.microsoft:locked-until-utc': ticks(session.until) };
    this.#start();
  }

  // The first transfer must not leave before the answer to the attach has.
  #start() {
    this.admit();
    setImmediate(() => {
      if (!this.isLive) return;
      this.#isReady = true;
      this.#watch();
      this.#queue.join(this);
      this.onFlow();
    });
  }

  // Credit that waits for messages is no traffic: Service Bus detaches such a link, too.
  #watch() {
    const milliseconds = this.#queue.settings.linkIdleTimeout ?? this.#broker.linkIdleTimeout;
    this.#idleness = new Idleness(this.#broker.clock, milliseconds, () => {
      this.#broker.counts.add('idle-link');
      this.close(new Refusal(Because.detachForced, `The link '${this.link.name}' is force detached. Code: consumer(link${this.link.local.handle}). Details: AmqpMessageConsumer.IdleTimerExpired: Idle timeout: ${timeSpan(milliseconds)}.`));
    });
  }

  // All that there is to hand out goes first.
  #drain() {
    const { outgoing } = this.session;
    if (!this.isLive || !this.link._draining || outgoing.next_pending_delivery !== outgoing.next_delivery_id) return;
    if (this.#queue.hasFor(this) && this.wants()) {
      setImmediate(() => this.#drain());
      return;
    }
    this.link._draining = false;
    answerDrain(this.link);
  }

  #settle(delivery, outcome, state) {
    try {
      if (this.#lost) throw new Refusal(Because.sessionLockLost, 'The session lock was lost. Accept a new session.');
      apply(this.#queue, delivery.token, outcome);
      this.#broker.counts.add(`settle/${outcome.kind}`);
      return answerTo(state);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.#broker.counts.add('settle/refused');
      return rejection(refusal);
    }
  }
}
