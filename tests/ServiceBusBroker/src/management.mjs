import { Message } from './message.mjs';
import { apply } from './outcome.mjs';
import { Because, Refusal } from './refusal.mjs';
import { Answers, demand } from './requests.mjs';
import { Topic } from './topic.mjs';
import { bigOf, binary, entriesOf, longs, string, timestamp, timestamps, types, uuid } from './wire.mjs';

const PREFIX = 'com.microsoft:';

// "defered" is how Service Bus spells it.
const DISPOSITIONS = { completed: 'complete', abandoned: 'abandon', suspended: 'dead-letter', defered: 'defer' };

/** The node `$management` of an entity: what is asked of it beside sending, taking and settling. */
export class Management {
  answers = Answers.management;
  #entity;
  #counts;

  constructor(entity, counts) {
    this.#entity = entity;
    this.#counts = counts;
  }

  get entity() {
    return this.#entity;
  }

  nameOf(operation) {
    return operation.startsWith(PREFIX) ? operation.slice(PREFIX.length) : operation;
  }

  perform(operation, body, properties, peer) {
    const associated = properties['associated-link-name']?.value;
    if (associated) peer.noteTraffic(associated, this.#entity);
    const name = this.nameOf(operation ?? '');
    const perform = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : null;
    if (!perform) throw new Refusal(Because.notImplemented, `There is no operation '${operation}'.`);
    if (!types.is_map(body)) throw new Refusal(Because.argument, 'The body of a request is a map.');
    if (this.#entity instanceof Topic && !OF_TOPICS.includes(name)) throw new Refusal(Because.notAllowed, `A topic knows no '${operation}'.`);
    return perform(this.#entity, entriesOf(body), this.#counts, peer);
  }
}

const OF_TOPICS = ['schedule-message', 'cancel-scheduled-message', 'peek-message'];

const OPERATIONS = {
  'renew-lock'(queue, fields, counts) {
    const tokens = tokensOf(fields);
    const expirations = queue.renew(tokens);
    counts.add('renewed-locks', tokens.length);
    return answer({ expirations: timestamps(expirations) });
  },

  'peek-message'(entity, fields) {
    const found = entity.peek(sequenceNumberOf(demand(fields, 'from-sequence-number').value), demand(fields, 'message-count').value, fields['session-id']?.value ?? null);
    if (found.length === 0) return { status: 204, description: 'No Content' };
    return answer({ messages: types.wrap_list(found.map((message) => types.wrap_map({ message: binary(message.encode()) }))) });
  },

  'receive-by-sequence-number'(queue, fields) {
    const numbers = numbersOf(fields);
    const deletes = fields['receiver-settle-mode']?.value === 0;
    const found = queue.takeDeferred(numbers, deletes, fields['session-id']?.value ?? null);
    return answer({ messages: types.wrap_list(found.map(received)) });
  },

  'update-disposition'(queue, fields, counts) {
    const kind = DISPOSITIONS[demand(fields, 'disposition-status').value];
    if (!kind) throw new Refusal(Because.argument, 'The disposition-status is none of completed, abandoned, suspended and defered.');
    const outcome = {
      kind,
      changes: entriesOf(fields['properties-to-modify']),
      reason: fields['deadletter-reason']?.value,
      description: fields['deadletter-description']?.value,
    };
    const tokens = tokensOf(fields);
    queue.demandOnePartition(tokens);
    for (const token of tokens) apply(queue, token, outcome);
    counts.add(`settle/${kind}`, tokens.length);
    return answer({});
  },

  'schedule-message'(entity, fields, counts) {
    const messages = demand(fields, 'messages').value.map((entry) => Message.decode(demand(entriesOf(entry), 'message').value));
    const limit = entity.settings.maxMessageBytes;
    if (messages.some(({ size }) => size > limit)) throw new Refusal(Because.tooLarge, `A message is larger than the ${limit} bytes that are allowed.`);
    const numbers = messages.map((message) => entity.add(message));
    counts.add('scheduled', messages.length);
    return answer({ 'sequence-numbers': longs(numbers) });
  },

  'cancel-scheduled-message'(entity, fields) {
    entity.cancel(numbersOf(fields));
    return answer({});
  },

  'renew-session-lock'(queue, fields, _counts, peer) {
    return answer({ expiration: timestamp(sessionsOf(queue).renew(demand(fields, 'session-id').value, peer)) });
  },

  'get-session-state'(queue, fields, _counts, peer) {
    const state = sessionsOf(queue).stateOf(demand(fields, 'session-id').value, peer);
    return answer({ 'session-state': state === null ? types.Null() : binary(state) });
  },

  'set-session-state'(queue, fields, _counts, peer) {
    sessionsOf(queue).setState(demand(fields, 'session-id').value, fields['session-state']?.value ?? null, peer);
    return answer({});
  },
};

const answer = (entries) => ({ status: 200, body: types.wrap_map(entries) });

const tokensOf = (fields) => types.unwrap(demand(fields, 'lock-tokens')).map((token) => Buffer.from(token).toString('hex'));

const numbersOf = (fields) => types.unwrap(demand(fields, 'sequence-numbers')).map(sequenceNumberOf);

function sequenceNumberOf(value) {
  const number = bigOf(value);
  if (number === null) throw new Refusal(Because.argument, 'A sequence number is a long.');
  return number;
}

function received(message) {
  const { lock } = message;
  const entries = { message: binary(message.encode(lock && (lock.session?.until ?? lock.until))) };
  if (lock) entries['lock-token'] = uuid(Buffer.from(lock.token, 'hex'));
  return types.wrap_map(entries);
}

function sessionsOf(queue) {
  if (!queue.sessions) throw new Refusal(Because.notAllowed, `The entity '${queue.path}' does not require sessions.`);
  return queue.sessions;
}
