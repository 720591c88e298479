import http from 'node:http';
import { Because, Refusal } from './refusal.mjs';
import { claimed } from './tokens.mjs';

/** What tests and benchmarks ask of the broker beside AMQP: HTTP and JSON, for this machine only. */
export class Control {
  #broker;
  #listeners;
  #server = http.createServer((request, response) => this.#serve(request, response));

  constructor(broker, listeners) {
    this.#broker = broker;
    this.#listeners = listeners;
  }

  async open(port) {
    await new Promise((resolve, reject) => this.#server.once('error', reject).listen(port, '127.0.0.1', resolve));
    return this.#server.address().port;
  }

  async #serve(request, response) {
    try {
      const { pathname, searchParams } = new URL(request.url, 'http://localhost');
      const parts = pathname.split('/').filter(Boolean).map(decodeURIComponent);
      const body = await bodyOf(request);
      const answer = await this.#route(`${request.method} ${parts[0]}`, parts.slice(1), body, searchParams);
      response.writeHead(answer === undefined ? 204 : 200, { 'content-type': 'application/json' });
      response.end(answer === undefined ? '' : JSON.stringify(answer, exactly));
    } catch (error) {
      response.writeHead(error instanceof Refusal ? error.status : error instanceof SyntaxError ? 400 : 500, { 'content-type': 'text/plain' });
      response.end(error instanceof Refusal || error instanceof SyntaxError ? error.message : error.stack);
    }
  }

  #route(what, path, body, query) {
    const { namespace, counts, faults, clock } = this.#broker;
    switch (what) {
      case 'PUT queues':
        return namespace.putQueue(path.join('/'), body);
      case 'GET queues':
        return describe(namespace.find(path.join('/')), query.has('messages'));
      case 'DELETE queues':
      case 'DELETE topics':
        return this.#detach(path[1]?.toLowerCase() === 'subscriptions' ? namespace.deleteSubscription(path[0], path[2]) : namespace.delete(path.join('/')));
      case 'PUT topics':
        return path[1]?.toLowerCase() === 'subscriptions' ? namespace.putSubscription(path[0], path[2], body) : namespace.putTopic(path.join('/'), body);
      case 'GET topics':
        return path[1] === undefined ? namespace.topic(path[0]).subscriptions.map((one) => describe(one)) : describe(namespace.find(path.join('/')), query.has('messages'));
      case 'GET stats':
        return { openConnections: this.#broker.peers.length, openSessions: this.#broker.peers.reduce((sum, peer) => sum + Object.keys(peer.connection.remote_channel_map).length, 0), openLinks: this.#links().length, expiredLocks: namespace.queues.reduce((sum, queue) => sum + queue.expiredLocks, 0), counts };
      case 'DELETE stats':
        return counts.clear();
      case 'POST faults':
        return faults.add(body);
      case 'DELETE faults':
        return faults.clear();
      case 'POST cut':
        return this.#cut(body);
      case 'POST sessions':
        return this.#steal(body);
      case 'POST tokens':
        return this.#broker.peers.forEach((peer) => peer.revoke(body.entity && claimed(body.entity)));
      case 'POST clock':
        return clock.advance(body.milliseconds);
      case 'POST listening':
        return body.enabled ? this.#listeners.open() : this.#listeners.close();
      default:
        throw new Refusal(Because.notFound, `There is no ${what}.`);
    }
  }

  #links(entity) {
    return this.#broker.peers.flatMap((peer) => peer.links).filter((link) => entity === undefined || link.entity?.path.toLowerCase() === entity.toLowerCase());
  }

  /** Answers with how many were cut. */
  #cut({ level, entity, condition, description = 'Cut by the test.' }) {
    const links = this.#links(entity);
    const peers = entity === undefined ? this.#broker.peers : [...new Set(links.map((link) => link.peer))];
    const refusal = new Refusal({ condition: condition ?? (level === 'link' ? 'amqp:link:detach-forced' : level === 'connection' ? 'amqp:connection:forced' : 'amqp:internal-error') }, description);
    switch (level) {
      case 'socket':
        peers.forEach((peer) => this.#broker.cut(peer));
        return { cut: peers.length };
      case 'connection':
        peers.forEach((peer) => {
          peer.end();
          peer.connection.close(refusal.error);
        });
        return { cut: peers.length };
      case 'session': {
        const sessions = [...new Set(links.map((link) => link.session))];
        sessions.forEach((session) => {
          session.connection.peer.end(session);
          session.close(refusal.error);
        });
        return { cut: sessions.length };
      }
      case 'link':
        links.forEach((link) => link.close(refusal));
        return { cut: links.length };
      default:
        throw new Refusal(Because.argument, 'The level of a cut is one of socket, connection, session, link.');
    }
  }

  #steal({ queue, session, tell, milliseconds }) {
    this.#broker.namespace.find(queue).sessions.steal(session, { tell, milliseconds });
  }

  #detach(queues) {
    for (const queue of queues) for (const link of this.#links(queue.path)) link.close(new Refusal(Because.deleted, `The messaging entity '${queue.path}' was deleted.`));
  }
}

function describe(queue, withMessages = false) {
  const answer = { path: queue.path, settings: queue.settings };
  if (queue.counts) answer.counts = queue.counts();
  if (queue.sessions) answer.sessions = queue.sessions.list();
  if (withMessages) answer.messages = queue.list();
  return answer;
}

// A sequence number that JSON's numbers can't be trusted with is told as a string.
const exactly = (_name, value) => (typeof value !== 'bigint' ? value : Number.isSafeInteger(Number(value)) ? Number(value) : String(value));

async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return chunks.length === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString());
}
