import { Queue } from './queue.mjs';
import { Because, Refusal } from './refusal.mjs';
import { Topic } from './topic.mjs';

const DEAD_LETTERS = '$deadletterqueue';

/** All queues and topics by their names, which are the same in upper and lower case. */
export class Namespace {
  #clock;
  #entities = new Map();

  constructor(clock) {
    this.#clock = clock;
  }

  putQueue(name, settings = {}) {
    this.#put(name, settings, Queue);
  }

  putTopic(name, settings = {}) {
    this.#put(name, settings, Topic);
  }

  putSubscription(topic, name, settings = {}) {
    this.topic(topic).putSubscription(name, settings);
  }

  /** Puts what a file says: { queues: { name: settings }, topics: { name: { subscriptions: { name: settings }, …settings } } }. */
  fill({ queues = {}, topics = {} }) {
    for (const [name, settings] of Object.entries(queues)) this.putQueue(name, settings);
    for (const [name, { subscriptions = {}, ...settings }] of Object.entries(topics)) {
      this.putTopic(name, settings);
      for (const [subscription, own] of Object.entries(subscriptions)) this.putSubscription(name, subscription, own);
    }
  }

  /** Answers with the queues that are gone by it. */
  delete(name) {
    const entity = this.find(name);
    this.#entities.delete(name.toLowerCase());
    return entity instanceof Topic ? entity.subscriptions.concat(entity) : [entity];
  }

  deleteSubscription(topic, name) {
    const subscription = this.find(`${topic}/Subscriptions/${name}`);
    this.topic(topic).deleteSubscription(name);
    return [subscription];
  }

  topic(name) {
    const topic = this.#entities.get(name.toLowerCase());
    if (!(topic instanceof Topic)) throw missing(name);
    return topic;
  }

  /** The queue, topic, subscription or dead-letter queue that an address names. */
  find(address) {
    const path = pathOf(address);
    const parts = path.split('/');
    const buried = parts.at(-1).toLowerCase() === DEAD_LETTERS;
    if (buried) parts.pop();
    const entity = this.#entities.get(parts.join('/').toLowerCase()) ?? this.#subscription(parts);
    const found = buried ? entity?.deadLetters : entity;
    if (!found) throw missing(path);
    return found;
  }

  get queues() {
    return [...this.#entities.values()].flatMap((entity) => (entity instanceof Topic ? entity.subscriptions : [entity]));
  }

  #subscription(parts) {
    if (parts.length < 3 || parts.at(-2).toLowerCase() !== 'subscriptions') return null;
    const topic = this.#entities.get(parts.slice(0, -2).join('/').toLowerCase());
    return topic instanceof Topic ? topic.subscription(parts.at(-1)) : null;
  }

  #put(name, settings, Kind) {
    const existing = this.#entities.get(name.toLowerCase());
    if (existing && !(existing instanceof Kind)) throw new Refusal(Because.argument, `'${name}' is something else already: delete it first.`);
    if (existing) existing.change(settings);
    else this.#entities.set(name.toLowerCase(), new Kind(name, settings, this.#clock));
  }
}

/** An address without its scheme, its host and the slashes around it. */
export const pathOf = (address) => address.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/^\/+|\/+$/g, '');

const missing = (path) => new Refusal(Because.notFound, `The messaging entity '${path}' could not be found.`);
