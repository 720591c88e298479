import { randomBytes } from 'node:crypto';
import { Partitions } from './partitions.mjs';
import { Because, Refusal } from './refusal.mjs';
import { Sessions } from './sessions.mjs';
import { Shelf } from './shelf.mjs';

const DEFAULTS = {
  lockDuration: 60_000,
  maxDeliveryCount: 10,
  requiresSession: false,
  partitions: 1,
  maxMessageBytes: 1024 * 1024,
  maxBatchBytes: Infinity,
  maxMessages: Infinity,
  timeToLive: Infinity,
  deadLetterOnExpiration: false,
  linkIdleTimeout: null,
  enabled: true,
};

// So many messages are handed out in one go before others get their turn: renewals must not wait behind a long queue.
const AT_ONCE = 100;

/** A queue, a subscription or a dead-letter queue: which messages there are, who holds which, and until when. */
export class Queue {
  settings;
  sessions;
  deadLetters = null;
  expiredLocks = 0;

  #clock;
  #messages = new Map();
  #locked = new Map();
  #shelf = new Shelf();
  #consumers = [];
  #turn = 0;
  #lastPlace = 0;
  #partitions;
  #resting = false;

  constructor(path, settings, clock, isDeadLetterQueue = false) {
    this.path = path;
    this.#clock = clock;
    this.settings = { ...DEFAULTS, ...settings };
    this.#partitions = new Partitions(this.settings.partitions);
    this.sessions = this.settings.requiresSession ? new Sessions(this, clock) : null;
    if (!isDeadLetterQueue) this.deadLetters = new Queue(`${path}/$DeadLetterQueue`, { ...settings, requiresSession: false }, clock, true);
  }

  change(settings) {
    if (settings.requiresSession !== undefined && settings.requiresSession !== this.settings.requiresSession)
      throw new Refusal(Because.argument, `Whether '${this.path}' requires sessions can't be changed: delete it first.`);
    if (settings.partitions !== undefined && settings.partitions !== this.settings.partitions)
      throw new Refusal(Because.argument, `How many partitions '${this.path}' has can't be changed: delete it first.`);
    this.settings = { ...this.settings, ...settings };
    this.deadLetters?.change({ ...settings, requiresSession: undefined });
  }

  /** Takes a message in, now or at its time. Answers with its sequence number. */
  add(message) {
    if (this.settings.requiresSession && message.sessionId === null)
      throw new Refusal(Because.notAllowed, `The SessionId was not set on a message, and it cannot be sent to the entity '${this.path}', which requires sessions.`);
    if (this.#messages.size >= this.settings.maxMessages) throw new Refusal(Because.quota, `The entity '${this.path}' has reached its maximum size.`);
    if (message.scheduledFor > this.#clock.now()) return this.#schedule(message);
    this.#enqueue(message);
    this.offer();
    return message.sequenceNumber;
  }

  /** Takes scheduled messages back, all or none. */
  cancel(sequenceNumbers) {
    const messages = sequenceNumbers.map((number) => this.#messages.get(number));
    if (messages.some((message) => message?.state !== 'scheduled')) throw new Refusal(Because.messageNotFound, 'A message to cancel is not scheduled any more.');
    for (const message of messages) {
      this.#clock.cancel(message.wakeUp);
      this.#messages.delete(message.sequenceNumber);
    }
  }

  /** Messages from a sequence number on, in the order of their numbers, without any lock, whatever their state. */
  peek(from, count, sessionId = null) {
    return [...this.#messages.values()]
      .filter((message) => message.sequenceNumber >= from && (sessionId === null || message.sessionId === sessionId))
      .sort((one, other) => (one.sequenceNumber < other.sequenceNumber ? -1 : 1))
      .slice(0, count);
  }

  /** Deferred messages by their numbers, all or none: locked, or gone for good. */
  takeDeferred(sequenceNumbers, deletes, sessionId = null) {
    const messages = sequenceNumbers.map((number) => this.#messages.get(number));
    if (messages.some((message) => message?.state !== 'deferred' || message.lock || message.sessionId !== (sessionId ?? message.sessionId)))
      throw new Refusal(Because.messageNotFound, 'A message by that sequence number is not deferred, or is locked.');
    for (const message of messages) {
      if (deletes) this.#messages.delete(message.sequenceNumber);
      else this.#lock(message, this.settings.requiresSession ? this.sessions.lockOf(message.sessionId) : null);
    }
    return messages;
  }

  /** Someone who takes messages: { wants(), held, deletes, hand(message) }, where `held` is the session it holds, or null. */
  join(consumer) {
    this.#consumers.push(consumer);
    this.offer();
  }

  leave(consumer) {
    this.#consumers = this.#consumers.filter((other) => other !== consumer);
  }

  /** Whether there is anything for one of them. */
  hasFor(consumer) {
    return this.#shelfOf(consumer).size > 0;
  }

  /** Hands out what there is to those who want it, in turn. */
  offer() {
    if (this.#resting) return;
    for (let handed = 0; handed < AT_ONCE; handed++) {
      const consumer = this.#nextConsumer();
      if (!consumer) return;
      const message = this.#shelfOf(consumer).take();
      if (consumer.deletes) this.#messages.delete(message.sequenceNumber);
      else this.#lock(message, consumer.held);
      consumer.hand(message);
    }
    this.#resting = true;
    setImmediate(() => {
      this.#resting = false;
      this.offer();
    });
  }

  complete(token) {
    this.#remove(this.#held(token));
  }

  /** Gives a message back, which counts as a failed delivery. */
  abandon(token, changes = {}) {
    const message = this.#held(token);
    message.change(changes);
    this.#giveBack(message, true);
  }

  /** Gives a message back as if it had never been delivered. */
  release(token) {
    this.#giveBack(this.#held(token), false);
  }

  defer(token, changes = {}) {
    const message = this.#held(token);
    message.change(changes);
    this.#unlock(message);
    message.state = 'deferred';
  }

  deadLetter(token, reason, description, changes = {}) {
    if (!this.deadLetters) throw new Refusal(Because.notAllowed, `A message of '${this.path}' is a dead letter already.`);
    const message = this.#held(token);
    message.change(changes);
    this.#bury(message, reason, description);
  }

  /** Renews locks, all or none. Answers until when they hold. */
  renew(tokens) {
    this.demandOnePartition(tokens);
    const messages = tokens.map((token) => this.#held(token));
    if (this.settings.requiresSession) throw new Refusal(Because.notAllowed, 'A message of a session is locked by its session, which is renewed instead.');
    return messages.map((message) => this.#setLock(message, message.lock.token));
  }

  /** Refuses what is asked for locks of several partitions at once. */
  demandOnePartition(tokens) {
    this.#partitions.demandOne(tokens);
  }

  /** A session's locks end: with its own, which counts as a failed delivery of each, or because it was given up. */
  letGoOf(session, failed) {
    for (const message of [...this.#locked.values()]) if (message.lock?.session === session) this.#giveBack(message, failed);
  }

  get isEmpty() {
    return this.#messages.size === 0;
  }

  counts() {
    const counts = { active: 0, locked: 0, deferred: 0, scheduled: 0, deadLettered: this.deadLetters?.total ?? 0 };
    for (const message of this.#messages.values()) counts[message.lock ? 'locked' : message.state]++;
    return counts;
  }

  get total() {
    return this.#messages.size;
  }

  /** What there is, for those who look in from outside. */
  list() {
    return [...this.#messages.values()].map(({ messageId, sequenceNumber, deliveryCount, sessionId, lock, state }) => ({
      id: messageId,
      sequenceNumber,
      deliveryCount,
      sessionId,
      state: lock ? 'locked' : state,
    }));
  }

  #enqueue(message) {
    message.sequenceNumber = this.#partitions.number(message);
    message.place = ++this.#lastPlace;
    message.enqueuedSequenceNumber = message.sequenceNumber;
    message.enqueuedAt = this.#clock.now();
    message.state = 'active';
    this.#messages.set(message.sequenceNumber, message);
    this.#expireLater(message);
    this.#show(message);
  }

  #schedule(message) {
    message.sequenceNumber = this.#partitions.number(message);
    message.state = 'scheduled';
    message.enqueuedAt = message.scheduledFor;
    this.#messages.set(message.sequenceNumber, message);
    message.wakeUp = this.#clock.at(message.scheduledFor, () => {
      this.#messages.delete(message.sequenceNumber);
      this.#enqueue(message);
      this.offer();
    });
    return message.sequenceNumber;
  }

  #expireLater(message) {
    const milliseconds = Math.min(message.timeToLive ?? Infinity, this.settings.timeToLive);
    if (milliseconds === Infinity || this.deadLetters === null) return;
    message.expiry = this.#clock.at(message.enqueuedAt + milliseconds, () => this.#expire(message));
  }

  // Only what nobody holds expires: a message that is being handled may be handled to its end.
  #expire(message) {
    message.isExpired = true;
    if (message.lock || message.state !== 'active') return;
    this.#takeDown(message);
    this.#endExpired(message);
  }

  #endExpired(message) {
    if (this.settings.deadLetterOnExpiration) this.#bury(message, 'TTLExpiredException', 'The message expired and was dead lettered.');
    else this.#remove(message);
  }

  #show(message) {
    if (this.sessions) this.sessions.put(message);
    else this.#shelf.put(message);
  }

  #takeDown(message) {
    (this.sessions ? this.sessions.shelfOf(message.sessionId) : this.#shelf).remove(message);
  }

  #shelfOf(consumer) {
    return this.sessions ? this.sessions.shelfOf(consumer.held.id) : this.#shelf;
  }

  #nextConsumer() {
    for (let i = 0; i < this.#consumers.length; i++) {
      this.#turn = (this.#turn + 1) % this.#consumers.length;
      const consumer = this.#consumers[this.#turn];
      if (this.#shelfOf(consumer).size > 0 && consumer.wants()) return consumer;
    }
    return null;
  }

  #lock(message, session) {
    const token = this.#partitions.mark(randomBytes(16), message).toString('hex');
    message.lock = { token, session, until: Infinity, deadline: null };
    this.#locked.set(token, message);
    if (!session) this.#setLock(message, token);
  }

  #setLock(message, token) {
    const until = this.#clock.now() + this.settings.lockDuration;
    this.#clock.cancel(message.lock.deadline);
    message.lock.until = until;
    message.lock.deadline = this.#clock.at(until, () => this.#lapse(token));
    return until;
  }

  #lapse(token) {
    const message = this.#locked.get(token);
    if (!message) return;
    this.expiredLocks++;
    this.#giveBack(message, true);
  }

  #held(token) {
    const message = this.#locked.get(token);
    // A timer may be late: a lock is not.
    if (message && message.lock.until <= this.#clock.now()) this.#lapse(token);
    if (!this.#locked.has(token))
      throw new Refusal(Because.messageLockLost, 'The lock supplied is invalid. Either the lock expired, or the message has already been removed from the queue.');
    return message;
  }

  #unlock(message) {
    this.#clock.cancel(message.lock.deadline);
    this.#locked.delete(message.lock.token);
    message.lock = null;
  }

  #giveBack(message, failed) {
    this.#unlock(message);
    if (failed) message.deliveryCount++;
    if (this.deadLetters && message.deliveryCount >= this.settings.maxDeliveryCount)
      this.#bury(message, 'MaxDeliveryCountExceeded', `Message could not be consumed after ${message.deliveryCount} delivery attempts.`);
    else if (message.isExpired) this.#endExpired(message);
    else if (message.state === 'active') this.#show(message);
    this.offer();
  }

  #bury(message, reason, description) {
    message.markDead(reason, description, this.path);
    if (!this.deadLetters) return this.#stayBuried(message);
    this.#remove(message);
    this.deadLetters.#accept(message);
  }

  // What is dead-lettered once more stays where it is.
  #stayBuried(message) {
    if (message.lock) this.#unlock(message);
    this.#show(message);
    this.offer();
  }

  // A dead letter keeps its number, its place and its time.
  #accept(message) {
    message.state = 'active';
    this.#messages.set(message.sequenceNumber, message);
    this.#show(message);
    this.offer();
  }

  #remove(message) {
    if (message.lock) this.#unlock(message);
    this.#clock.cancel(message.expiry);
    this.#messages.delete(message.sequenceNumber);
  }
}
