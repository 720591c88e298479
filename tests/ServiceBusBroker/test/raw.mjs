import { once } from 'node:events';
import rhea from 'rhea';
import { createHmac } from 'node:crypto';

// So many deliveries may be unsettled.
const WINDOW = 16_384;

/** A client that shows what passes over the wire, where Microsoft's hides it. */
export class Raw {
  static async connect(port) {
    const raw = new Raw();
    raw.container = rhea.create_container();
    raw.connection = raw.container.connect({ host: '127.0.0.1', port, username: 'anyone', reconnect: false });
    for (const name of ['disconnected', 'connection_close']) raw.connection.on(name, () => {});
    await once(raw.connection, 'connection_open');
    return raw;
  }

  /** Shows a token for everything, or what it is given instead of one. */
  async authorize(key, { audience = 'sb://127.0.0.1/', until = Date.now() + 600_000, name = 'RootManageSharedAccessKey' } = {}) {
    const se = Math.floor(until / 1000);
    const sr = encodeURIComponent(audience);
    const sig = encodeURIComponent(createHmac('sha256', key).update(`${sr}\n${se}`).digest('base64'));
    return this.request('$cbs', { operation: 'put-token', type: 'servicebus.windows.net:sastoken', name: audience }, `SharedAccessSignature sr=${sr}&sig=${sig}&se=${se}&skn=${name}`);
  }

  /** Asks a node, over links of its own. Answers with the reply. */
  async request(address, properties, body) {
    const receiver = await this.receiver(address, { target: { address: 'replies' }, credit_window: 10, autoaccept: true });
    const sender = await this.sender(address);
    sender.send({ message_id: 'request', reply_to: 'replies', application_properties: properties, body });
    const [{ message }] = await once(receiver, 'message');
    receiver.close();
    sender.close();
    return message;
  }

  async receiver(source, options = {}) {
    const session = this.connection.create_session(WINDOW);
    session.open();
    const receiver = session.open_receiver({ source, credit_window: 0, autoaccept: false, rcv_settle_mode: 1, ...options });
    return opened(receiver, 'receiver');
  }

  async sender(target) {
    const session = this.connection.create_session();
    session.open();
    const sender = await opened(session.open_sender({ target }), 'sender');
    if (!sender.sendable()) await once(sender, 'sendable');
    return sender;
  }

  close() {
    this.connection.close();
  }
}

async function opened(link, role) {
  const { promise, resolve, reject } = withResolvers();
  link.once(`${role}_error`, () => reject(Object.assign(new Error(link.error.description), { condition: link.error.condition })));
  link.once(`${role}_close`, () => {});
  // A refused link is attached, too, but without a terminus, and then detached.
  link.once(`${role}_open`, () => (role === 'receiver' ? link.source : link.target).described && resolve(link));
  return promise;
}

function withResolvers() {
  let resolve, reject;
  const promise = new Promise((yes, no) => ([resolve, reject] = [yes, no]));
  return { promise, resolve, reject };
}
