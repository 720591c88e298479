import { randomUUID } from 'node:crypto';
import { sectionsOf, typedValueOf } from './sections.mjs';
import { described, entriesOf, int, long, numberOf, Section, string, timestamp, types, uint } from './wire.mjs';

const STATES = { active: 0, deferred: 1, scheduled: 2 };

// Where fields stand in their sections.
const Header = { durable: 0, priority: 1, ttl: 2, firstAcquirer: 3 };
const Properties = { messageId: 0, groupId: 10 };

/** A message as a queue keeps it: what its sender wrote, byte for byte where it can be, and what the broker knows of it. */
export class Message {
  sequenceNumber = 0n;
  enqueuedSequenceNumber = 0n;
  place = 0;
  partition = null;
  partitionKey = null;
  enqueuedAt = 0;
  deliveryCount = 0;
  state = 'active';
  lock = null;
  deadLetterSource = null;

  #header = [];
  #annotations = {};
  #properties = null;
  #applicationProperties = {};
  #rest = [];

  static decode(payload) {
    const message = new Message();
    message.size = payload.length;
    let properties = [];
    for (const { code, bytes } of sectionsOf(payload)) {
      if (code === Section.header) message.#header = typedValueOf(bytes).value;
      else if (code === Section.messageAnnotations) message.#annotations = entriesOf(typedValueOf(bytes));
      else if (code === Section.properties) properties = [...typedValueOf(bytes).value];
      else if (code === Section.applicationProperties) message.#applicationProperties = entriesOf(typedValueOf(bytes));
      else if (code !== Section.deliveryAnnotations) message.#rest.push(bytes);
    }
    message.#useProperties(properties);
    message.partitionKey = message.sessionId ?? message.#annotations['x-opt-partition-key']?.value ?? null;
    return message;
  }

  /** When it is to be enqueued; 0 for at once. */
  get scheduledFor() {
    return numberOf(this.#annotations['x-opt-scheduled-enqueue-time']?.value) ?? 0;
  }

  /** For how many milliseconds it may wait; null without such a limit. */
  get timeToLive() {
    return this.#header[Header.ttl]?.value ?? null;
  }

  /** The same message for another queue, which may change it without changing this one. */
  copy() {
    const copy = new Message();
    copy.size = this.size;
    copy.messageId = this.messageId;
    copy.sessionId = this.sessionId;
    copy.partitionKey = this.partitionKey;
    copy.#header = this.#header;
    copy.#annotations = { ...this.#annotations };
    copy.#properties = this.#properties;
    copy.#applicationProperties = { ...this.#applicationProperties };
    copy.#rest = this.#rest;
    return copy;
  }

  /** Sets application properties (typed), as abandoning, deferring and dead-lettering may. */
  change(properties) {
    Object.assign(this.#applicationProperties, properties);
  }

  markDead(reason, description, source) {
    if (reason) this.change({ DeadLetterReason: string(reason) });
    if (description) this.change({ DeadLetterErrorDescription: string(description) });
    this.deadLetterSource = source;
  }

  /** As it is transferred. */
  encode(lockedUntil = null) {
    const writer = new types.Writer();
    const header = this.#header;
    writer.write(described(Section.header, [header[Header.durable], header[Header.priority], header[Header.ttl], header[Header.firstAcquirer], uint(this.deliveryCount)]));
    writer.write(map(Section.messageAnnotations, { ...this.#annotations, ...this.#brokerAnnotations(lockedUntil) }, types.wrap_symbol));
    writer.write(this.#properties);
    if (Object.keys(this.#applicationProperties).length > 0) writer.write(map(Section.applicationProperties, this.#applicationProperties, types.wrap_string));
    for (const bytes of this.#rest) writer.write_bytes(bytes);
    return writer.toBuffer();
  }

  #brokerAnnotations(lockedUntil) {
    const annotations = {
      'x-opt-enqueued-time': timestamp(this.enqueuedAt),
      'x-opt-sequence-number': long(this.sequenceNumber),
      'x-opt-enqueue-sequence-number': long(this.enqueuedSequenceNumber),
      'x-opt-message-state': int(STATES[this.state]),
    };
    if (lockedUntil !== null) annotations['x-opt-locked-until'] = timestamp(lockedUntil);
    if (this.deadLetterSource) annotations['x-opt-deadletter-source'] = string(this.deadLetterSource);
    return annotations;
  }

  #useProperties(fields) {
    this.hasOwnId = !isNull(fields[Properties.messageId]);
    if (!this.hasOwnId) fields[Properties.messageId] = string(randomUUID().replaceAll('-', ''));
    this.#properties = described(Section.properties, fields);
    this.messageId = readable(fields[Properties.messageId].value);
    this.sessionId = fields[Properties.groupId]?.value ?? null;
  }
}

const map = (code, entries, key) => types.described(types.wrap_ulong(code), types.wrap_map(entries, key));

const isNull = (typed) => typed === undefined || typed.value === null;

const readable = (id) => (Buffer.isBuffer(id) ? id.toString('hex') : String(id));
