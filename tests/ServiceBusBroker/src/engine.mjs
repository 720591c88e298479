// The AMQP engine is rhea; this is where its inner workings are touched, and why. Its version is pinned for that reason.
import rhea from 'rhea';
import frames from 'rhea/lib/frames.js';
import websockets from 'rhea/lib/ws.js';

// A session's window: as many deliveries may be unsettled at once.
const SESSION_WINDOW = 65_536;

// So many places of the window are kept for new deliveries: then the oldest that nobody settles are forgotten.
const SPARE = 8_192;

// What raw messages are marked with, so that they are not decoded: that would lose their types.
const RAW = 1;

export function createContainer(mechanisms) {
  const container = rhea.create_container({ id: 'holdfast-servicebus-broker' });
  Object.assign(container.sasl_server_mechanisms, mechanisms);
  return container;
}

/** Serves a client on its socket. */
export function accept(container, socket, settings) {
  return container.create_connection(options(container, settings)).accept(socket);
}

/** Serves a client on its WebSocket. */
export function acceptWebSocket(container, webSocket, settings) {
  const connection = container.create_connection(options(container, settings));
  connection.cut = () => webSocket.terminate();
  return connection.accept(websockets.wrap(webSocket));
}

/** Breaks a connection without a word. */
export function cut(connection) {
  if (connection.cut) connection.cut();
  else connection.socket.destroy();
}

const options = (container, { idleTimeout, channelMax }) => ({
  container_id: container.id,
  max_frame_size: 65_536,
  channel_max: channelMax,
  idle_time_out: idleTimeout,
  session_buffer_size: SESSION_WINDOW,
  sender_options: { autosettle: false, treat_modified_as_released: false },
  receiver_options: { autoaccept: false, autosettle: false, credit_window: 1_000 },
});

/** A SASL mechanism that lets everybody in: whoever it is shows a token later. */
export const openToAll = () => ({
  start() {
    this.outcome = true;
    this.username = 'anonymous';
  },
});

/** Has a session's incoming messages left encoded, gives the peer's dispositions and flows to the links themselves, and answers who asks for the session's state. */
export function takeOver(session, { onDisposition, onWindow }) {
  const { incoming, outgoing } = session;
  const receive = incoming.on_transfer;
  incoming.on_transfer = function (frame, receiver) {
    const { performative } = frame;
    if (!performative.message_format) performative.message_format = RAW;
    return receive.call(this, frame, receiver);
  };
  outgoing.on_disposition = ({ first, last, state, settled }) => {
    for (let id = first; id <= (last ?? first); id++) {
      const delivery = outgoing.deliveries.by_id(id);
      if (delivery && !delivery.remote_settled) onDisposition(delivery, state, Boolean(settled));
    }
  };
  const flow = outgoing.on_flow;
  outgoing.on_flow = function (fields) {
    flow.call(this, fields);
    onWindow();
    if (fields.echo && (fields.handle ?? null) === null) session._write_flow();
  };
}

/** A peer's terminus, or null where it named none: rhea then has a typed null. */
export const terminus = (given) => (given?.described ? given : null);

export const isBatch = (format) => format !== RAW;

/** Whether a transfer would leave at once. One that has to wait would hold up every other link of its session. */
export function canSend(link) {
  const { outgoing } = link.session;
  return link.is_open() && link.credit > 0 && outgoing.next_pending_delivery === outgoing.next_delivery_id && outgoing.transfer_window() > 0 && outgoing.available() > 0;
}

export function send(link, payload, tag, settled) {
  const { outgoing } = link.session;
  if (outgoing.available() <= SPARE) forgetOldest(outgoing);
  cork(link.connection);
  const delivery = link.session.send(link, tag, payload, 0);
  if (settled) delivery.settled = true;
  outgoing.process();
  return delivery;
}

/** Answers a disposition, settled, and is done with the delivery. */
export function settle(delivery, state) {
  const { link, id } = delivery;
  cork(link.connection);
  link.session.output(frames.disposition({ role: link.is_receiver(), first: id, last: id, settled: true, state }));
  done(delivery);
}

/** Is done with a delivery that the peer has settled. */
export function done(delivery) {
  delivery.settled = true;
  delivery.remote_settled = true;
  delivery.link.connection._register();
}

/**
 * Says that there is nothing more to send: all credit is given back. At once, for what the client gives before the answer leaves is no part of it.
 * Only this way does the answer carry `drain`, even with no credit left.
 */
export function answerDrain(link) {
  link.delivery_count += Math.max(link.credit, 0);
  link.credit = 0;
  link._get_drain = () => delete link._get_drain;
  link.issue_flow = true;
  link.connection._register();
}

/** Keeps back the answer to an attach, which rhea gives at once. */
export function withhold(link) {
  link.state.local_open = false;
  link.state.open_requests = 0;
}

/** Answers an attach that was kept back. */
export function admit(link) {
  link.open();
}

/** Answers an attach with a terminus of null, and detaches. */
export function refuse(link, error) {
  link.local.attach.source = undefined;
  link.local.attach.target = undefined;
  link.open();
  link.close(error);
}

/** Gathers what is written in this turn of the event loop into one packet. */
function cork({ socket }) {
  if (!socket.cork || socket.writableCorked > 0) return;
  socket.cork();
  setImmediate(() => socket.uncork());
}

// Deliveries leave the window only from its oldest end. One that its receiver never settles would stop it for ever.
function forgetOldest({ deliveries }) {
  for (let i = 0; i < SPARE; i++) {
    const head = deliveries.get_head();
    if (!head) return;
    head.settled = true;
    head.remote_settled = true;
    deliveries.pop_if((delivery) => delivery === head);
  }
}
