import { Message } from './message.mjs';
import { Because, Refusal } from './refusal.mjs';
import { messagesOfBatch, sectionsOf } from './sections.mjs';
import { Section } from './wire.mjs';

/**
 * The messages of a batch. An entity of several partitions takes it into one of them: so it refuses messages of different keys,
 * unless their envelope has a key of its own, which then is the key of them all.
 */
export function messagesOf(payload, partitions) {
  const messages = messagesOfBatch(payload).map((bytes) => Message.decode(bytes));
  if (partitions > 1) agree(messages, keyOf(payload));
  return messages;
}

function agree(messages, key) {
  if (key !== null) for (const message of messages) message.partitionKey = key;
  else if (new Set(messages.map(({ partitionKey }) => partitionKey)).size > 1)
    throw new Refusal(Because.manyPartitions, 'Batching brokered messages with distinct SessionId or PartitionKey is not supported for an entity with partitioning enabled.');
}

// The envelope is a message, too: its session id, its partition key or, failing both, its message id.
function keyOf(payload) {
  const envelope = Message.decode(Buffer.concat(sectionsOf(payload).filter(({ code }) => code !== Section.data).map(({ bytes }) => bytes)));
  return envelope.partitionKey ?? (envelope.hasOwnId ? envelope.messageId : null);
}
