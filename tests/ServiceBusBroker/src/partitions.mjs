import { createHash } from 'node:crypto';
import { Because, Refusal } from './refusal.mjs';

// Where partitions begin to count. Those of Service Bus are by no means the smallest numbers either, and with these the sequence numbers are beyond 2^53.
const FIRST = 100;
const MOST = 1_000;

// The lower bits of a sequence number, in which each partition counts for itself.
const COUNTING = 48n;

/** The partitions of an entity: which of them a message belongs to, and how they number. With only one there are none to tell apart. */
export class Partitions {
  #lastNumbers;
  #turn = 0;

  constructor(count) {
    if (!(Number.isInteger(count) && count >= 1 && count <= MOST)) throw new Refusal(Because.argument, `There are from 1 to ${MOST} partitions, not '${count}'.`);
    this.#lastNumbers = Array(count).fill(0n);
  }

  get areMany() {
    return this.#lastNumbers.length > 1;
  }

  /** A message's next sequence number. Its partition, once chosen, stays its own. */
  number(message) {
    message.partition ??= this.#choose(message.partitionKey);
    const number = ++this.#lastNumbers[message.partition];
    return this.areMany ? (BigInt(FIRST + message.partition) << COUNTING) | number : number;
  }

  /** Marks a lock's token (bytes) with its message's partition: so even a lock that is lost still tells where it was. */
  mark(token, { partition }) {
    if (this.areMany) token.writeUInt16BE(FIRST + partition);
    return token;
  }

  /** Refuses what is asked for locks of several partitions at once. */
  demandOne(tokens) {
    if (this.areMany && new Set(tokens.map(markOf)).size > 1)
      throw new Refusal(Because.manyPartitions, 'Batching lock tokens for different partitions is not supported for an entity with partitioning enabled.');
  }

  #choose(key) {
    const count = this.#lastNumbers.length;
    if (key === null) return this.#turn++ % count;
    return createHash('sha256').update(String(key)).digest().readUInt32BE() % count;
  }
}

const markOf = (token) => token.slice(0, 4);
