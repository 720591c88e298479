import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { Link } from '../../../src/Worker/Status/Page/link.mjs';

const START = Date.parse('2026-11-25T12:00:00Z');

/** A link in a browser that answers as the test wants it to, on a clock that is moved by hand. */
function begin(t) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: START });
  t.after(() => mock.timers.reset());
  const sources = [];
  const states = [];
  const questions = [];
  const document = new EventTarget();
  document.hidden = false;
  class Source extends EventTarget {
    static OPEN = 1;
    static CLOSED = 2;
    readyState = 0;

    constructor() {
      super();
      sources.push(this);
    }

    close() {
      this.readyState = Source.CLOSED;
    }

    opens() {
      this.readyState = Source.OPEN;
    }

    tells() {
      this.opens();
      this.dispatchEvent(Object.assign(new Event('change'), { data: '{}' }));
    }

    /** The browser gives up. */
    fails() {
      this.close();
      this.dispatchEvent(new Event('error'));
    }
  }

  Object.assign(globalThis, { document, EventSource: Source, fetch: () => new Promise((resolve) => questions.push(resolve)) });
  const link = new Link(() => {}, () => states.push(link.state));
  const see = (isHidden) => {
    document.hidden = isHidden;
    document.dispatchEvent(new Event('visibilitychange'));
  };

  /** Answers the last question after the browser gave up. */
  const answer = async (body, init) => {
    questions.at(-1)(new Response(body, init));
    await new Promise(setImmediate);
  };
  return { link, sources, states, see, answer, pass: (seconds) => mock.timers.tick(seconds * 1000), current: () => sources.at(-1) };
}

const plain = (status) => ({ status, headers: { 'content-type': 'text/plain; charset=utf-8' } });

test('a connection through which nothing ever comes is no news, and is given up for another', (t) => {
  const { link, sources, pass, current } = begin(t);
  current().opens();
  pass(2.9);
  assert.equal(link.state, 'connecting');

  pass(0.2);
  assert.equal(link.state, 'silent');
  assert.equal(link.heardAt, null);

  pass(10);
  assert.equal(sources.length, 2);
  current().tells();
  assert.deepEqual([link.state, link.heardAt], ['live', START + 13_100]);
});

test('where not even a connection comes about the worker does not answer', (t) => {
  const { link, pass } = begin(t);
  pass(3.1);

  assert.equal(link.state, 'lost');
});

test('a connection that falls silent is given up for another, again and again', (t) => {
  const { link, sources, pass, current } = begin(t);
  current().tells();
  for (const opened of [2, 3, 4]) {
    pass(3.1);
    assert.equal(link.state, 'silent');
    pass(10);
    assert.equal(sources.length, opened);
    current().opens();
  }

  assert.equal(link.heardAt, START);
});

test('who was refused is told why', async (t) => {
  const { link, answer, pass, sources, current } = begin(t);
  current().fails();
  await answer('16 pages watch this worker already.\n', plain(503));

  assert.deepEqual([link.state, link.why], ['refused', '16 pages watch this worker already.']);
  pass(10.1);
  assert.equal(sources.length, 2);
});

test("of a proxy's page only the status is told, and of a text without end its beginning", async (t) => {
  const { link, answer, pass, current } = begin(t);
  current().fails();
  await answer('<html><h1>502 Bad Gateway</h1></html>', { status: 502, statusText: 'Bad Gateway', headers: { 'content-type': 'text/html' } });
  assert.deepEqual([link.state, link.why], ['refused', 'The answer was 502 Bad Gateway, and no events.']);

  pass(10.1);
  current().fails();
  await answer('😀'.repeat(1000), plain(500));
  assert.equal(link.why, `${'😀'.repeat(300)}…`);
});

test('a page of something else, given in place of events, is not asked for without end', async (t) => {
  const { link, answer, sources, current } = begin(t);
  current().fails();
  await answer('<html>Log in</html>', { status: 200, statusText: 'OK', headers: { 'content-type': 'text/html' } });

  assert.deepEqual([link.state, link.why, sources.length], ['refused', 'The answer was 200 OK, and no events.', 1]);
});

test('a page that fell asleep is not woken by an answer that comes then', async (t) => {
  const { link, answer, see, pass, sources, current } = begin(t);
  see(true);
  pass(29.5);
  current().fails();
  pass(1);
  assert.equal(link.state, 'asleep');
  const opened = sources.length;

  await answer('', { status: 200, headers: { 'content-type': 'text/event-stream' } });
  pass(60);

  assert.deepEqual([link.state, sources.length], ['asleep', opened]);
});

test('a page that wakes says that it connects, until it hears again', (t) => {
  const { link, states, see, pass, current } = begin(t);
  current().tells();
  see(true);
  pass(31);
  see(false);
  assert.equal(link.state, 'connecting');

  current().tells();
  assert.deepEqual(states.slice(-3), ['asleep', 'connecting', 'live']);
});
