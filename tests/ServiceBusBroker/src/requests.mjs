import { canSend, send, settle, terminus } from './engine.mjs';
import { Link } from './link.mjs';
import { Because, Refusal } from './refusal.mjs';
import { sectionsOf, typedValueOf } from './sections.mjs';
import { described, entriesOf, int, Section, State, string, symbol, types } from './wire.mjs';

const Properties = { messageId: 0, replyTo: 4 };

/** How a node names the parts of its answers. `$cbs` and `$management` do not agree on it. */
export const Answers = {
  cbs: { status: 'status-code', description: 'status-description', condition: 'error-condition' },
  management: { status: 'statusCode', description: 'statusDescription', condition: 'errorCondition' },
};

/** A link on which a client sends requests to a node: `node.perform(operation, body, properties, peer)` answers with { status, body }. */
export class RequestLink extends Link {
  #node;
  #broker;

  constructor(peer, link, address, node, broker) {
    super(peer, link, address === '$cbs' ? null : address);
    this.#node = node;
    this.#broker = broker;
    this.target = address;
  }

  get entity() {
    return this.#node.entity;
  }

  open() {
    this.link.set_target({ address: this.target });

    // Microsoft's client asks for requests that need no settling, and without an echo takes them for such as need it.
    this.link.local.attach.snd_settle_mode = this.link.snd_settle_mode ?? undefined;
    this.link.local.attach.rcv_settle_mode = this.link.rcv_settle_mode ?? undefined;
    this.admit();
  }

  onMessage(payload, _format, delivery) {
    settle(delivery, described(State.accepted, []));
    const request = requestOf(payload);
    const operation = this.#node.nameOf(request.properties.operation?.value ?? '');
    this.#broker.counts.add(operation);
    this.#broker.faults.run(operation, this.entity?.path, {
      perform: (how) => {
        const answer = this.#perform(request);
        if (how === 'answer') this.#reply(request, answer);
        else if (how === 'nonsense') this.#reply(request, { status: 200, body: string('nonsense') });
      },
      refuse: (refusal) => this.#reply(request, failure(refusal)),
      cut: () => this.#broker.cut(this.peer),
    });
  }

  #perform({ body, properties }) {
    try {
      return this.#node.perform(properties.operation?.value, body, properties, this.peer);
    } catch (refusal) {
      if (!(refusal instanceof Refusal)) throw refusal;
      return failure(refusal);
    }
  }

  #reply({ messageId, replyTo }, { status, description = 'OK', condition, body = null }) {
    if (!this.isLive) return;
    const names = this.#node.answers;
    const properties = { [names.status]: int(status), [names.description]: string(description) };
    if (condition) properties[names.condition] = symbol(condition);
    const writer = new types.Writer();
    writer.write(described(Section.properties, [null, null, null, null, null, messageId]));
    writer.write(types.described(types.wrap_ulong(Section.applicationProperties), types.wrap_map(properties)));
    writer.write(types.described(types.wrap_ulong(Section.value), body ?? types.Null()));
    this.peer.repliesFor(this.target.toLowerCase(), replyTo)?.push(writer.toBuffer());
  }
}

/** A link by which a client takes a node's answers. */
export class ReplyLink extends Link {
  #waiting = [];
  #isReady = false;
  #tag = 0;

  constructor(peer, link, address, entity) {
    super(peer, link, address === '$cbs' ? null : address);
    this.node = address.toLowerCase();
    this.entity = entity;
    this.source = address;
    peer.addReplies(this);
  }

  open() {
    this.link.set_source({ address: this.source });
    this.link.local.attach.target = terminus(this.link.target)?.described();
    this.admit();
    setImmediate(() => {
      this.#isReady = true;
      this.onFlow();
    });
  }

  answers(replyTo) {
    return terminus(this.link.target)?.address === replyTo || this.link.name === replyTo;
  }

  push(payload) {
    this.#waiting.push(payload);
    this.onFlow();
  }

  onFlow() {
    while (this.#isReady && this.isLive && this.#waiting.length > 0 && canSend(this.link)) {
      const tag = Buffer.alloc(4);
      tag.writeUInt32BE(this.#tag++);
      send(this.link, this.#waiting.shift(), tag, true);
    }
  }
}

function failure({ status, condition, description }) {
  return { status, condition, description };
}

function requestOf(payload) {
  const request = { messageId: null, replyTo: null, properties: {}, body: null };
  for (const { code, bytes } of sectionsOf(payload)) {
    const typed = typedValueOf(bytes);
    if (code === Section.applicationProperties) request.properties = entriesOf(typed);
    else if (code === Section.value) request.body = typed;
    else if (code === Section.properties) {
      request.messageId = typed.value[Properties.messageId];
      request.replyTo = typed.value[Properties.replyTo]?.value;
    }
  }
  return request;
}

/** A request's field, which has to be there. */
export function demand(fields, name) {
  const value = fields[name];
  if (value === undefined || value.value === null) throw new Refusal(Because.argument, `The request lacks '${name}'.`);
  return value;
}
