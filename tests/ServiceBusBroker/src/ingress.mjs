import { messagesOf } from './batch.mjs';
import { isBatch, settle, terminus } from './engine.mjs';
import { Link } from './link.mjs';
import { Message } from './message.mjs';
import { rejection } from './outcome.mjs';
import { Because, Refusal } from './refusal.mjs';
import { described, State } from './wire.mjs';

/** A link on which a client sends messages to a queue or a topic. */
export class Ingress extends Link {
  #entity;
  #broker;

  constructor(peer, link, address, entity, broker) {
    super(peer, link, address);
    this.#entity = entity;
    this.#broker = broker;
  }

  get entity() {
    return this.#entity;
  }

  open() {
    this.link.set_target({ address: this.address });
    this.link.local.attach.source = terminus(this.link.source)?.described();
    this.link.local.attach.max_message_size = this.#entity.settings.maxMessageBytes;
    this.admit();
  }

  onMessage(payload, format, delivery) {
    const answer = (state) => this.isLive && settle(delivery, state);
    this.#broker.faults.run('send', this.#entity.path, {
      perform: (how) => {
        const state = this.#take(payload, format);
        if (how === 'answer') answer(state);
        else if (how === 'nonsense') answer(described(0x99, []));
      },
      refuse: (refusal) => answer(rejection(refusal)),
      cut: () => this.#broker.cut(this.peer),
    });
  }

  #take(payload, format) {
    const { maxMessageBytes: limit, maxBatchBytes } = this.#entity.settings;
    try {
      if (payload.length > limit) throw new Refusal(Because.tooLarge, `The received message (size: ${payload.length} bytes) exceeds the limit (${limit} bytes) currently allowed on the link.`);
      // Service Bus's own words, which do not say what is wrong.
      if (isBatch(format) && payload.length > maxBatchBytes) throw new Refusal(Because.batchTooLarge, `The link '${this.link.name}' is force detached by the broker because publisher(link${this.link.local.handle}) received a batch message with no data in it. Detach origin: Publisher.`);
      const messages = isBatch(format) ? messagesOf(payload, this.#entity.settings.partitions) : [Message.decode(payload)];
      for (const message of messages) this.#entity.add(message);
      this.#broker.counts.add('send', messages.length);
      this.#broker.counts.add('send-transfers');
      return described(State.accepted, []);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      this.#broker.counts.add('send-refused');
      // What is too large ends the link, as it does at Service Bus.
      if (refusal.endsLink) this.close(refusal);
      return rejection(refusal);
    }
  }
}
