import { Queue } from './queue.mjs';

/** A topic: each of its subscriptions gets every message. */
export class Topic {
  settings;
  #clock;
  #subscriptions = new Map();
  #inbox;

  constructor(path, settings, clock) {
    this.path = path;
    this.#clock = clock;
    // Scheduling and numbering are a queue's: this one is emptied as soon as anything becomes active.
    this.#inbox = new Queue(path, settings, clock);
    this.settings = this.#inbox.settings;
    this.#inbox.join({ wants: () => true, deletes: true, held: null, hand: (message) => this.#publish(message) });
  }

  change(settings) {
    this.#inbox.change(settings);
    this.settings = this.#inbox.settings;
  }

  add(message) {
    return this.#inbox.add(message);
  }

  cancel(sequenceNumbers) {
    this.#inbox.cancel(sequenceNumbers);
  }

  peek(from, count) {
    return this.#inbox.peek(from, count);
  }

  subscription(name) {
    return this.#subscriptions.get(name.toLowerCase()) ?? null;
  }

  putSubscription(name, settings) {
    const existing = this.subscription(name);
    if (existing) existing.change(settings);
    // A partitioned topic's subscriptions are partitioned, too.
    else this.#subscriptions.set(name.toLowerCase(), new Queue(`${this.path}/Subscriptions/${name}`, { partitions: this.settings.partitions, ...settings }, this.#clock));
  }

  deleteSubscription(name) {
    return this.#subscriptions.delete(name.toLowerCase());
  }

  get subscriptions() {
    return [...this.#subscriptions.values()];
  }

  // A message without a session has no place where sessions are required.
  #publish(message) {
    for (const subscription of this.#subscriptions.values())
      if (message.sessionId !== null || !subscription.settings.requiresSession) subscription.add(message.copy());
  }
}
