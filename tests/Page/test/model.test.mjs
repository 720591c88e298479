import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admissionOf } from '../../../src/Worker/Status/Page/figures.mjs';
import { byUrgency, Model } from '../../../src/Worker/Status/Page/model.mjs';
import { News } from '../../../src/Worker/Status/Page/news.mjs';
import { judge } from '../../../src/Worker/Status/Page/verdict.mjs';
import { age, attempt, clock, duration, figure, found, moment, named, reason, state, title, when } from '../../../src/Worker/Status/Page/words.mjs';

const queue = { queue: 'orders', isConnected: true, received: 10, completed: 5, abandoned: 0, delayed: 0, deadLettered: 0 };
const engine = { state: 'Running', leaseLoopSilence: 0.01, lanes: [{ lane: 'process', queued: 0, waits: 10, waited: 1 }], queues: [queue] };
const live = { state: 'live', since: 0, why: '' };

const frame = (rest = {}) => ({ at: 1_000, inHand: 0, inDanger: 0, lost: 0, leastTrust: null, come: [], changed: [], gone: [], ...rest });

const lease = (number, until, danger = 0) => [number, until, 1, 2, danger, `m${number}`, 'orders', 0, 1, 0, 30_000];

function known(rest = {}) {
  const model = new Model();
  model.whole(frame({ engine, date: 0, misses: [], points: [], worker: {}, ...rest }), 500);
  return model;
}

const headline = (model, link = live, now = 0) => judge(model, link, now).headline;

test('changes lead from one list of leases to the next', () => {
  const model = known({ come: [lease(1, 9_000), lease(2, 8_000)] });
  model.change(frame({ come: [lease(3, 7_000)], changed: [[2, 20_000, 2, 3, 0]], gone: [1] }), 750);

  assert.deepEqual(model.sorted().map(({ number, until, attempt, state, id }) => [number, until, attempt, state, id]), [
    [2, 20_000, 2, 3, 'm2'],
    [3, 7_000, 1, 2, 'm3'],
  ]);
});

test('those in danger come first, the least trust before all; the others stay where they came', () => {
  const leases = [
    { number: 1, until: 3, danger: 0 },
    { number: 2, until: 9, danger: 1 },
    { number: 3, until: 8, danger: 1 },
    { number: 4, until: 1, danger: 0 },
    { number: 5, until: 7, danger: 3 },
    { number: 6, until: 2, danger: 2 },
  ];

  assert.deepEqual(leases.sort(byUrgency).map(({ number }) => number), [5, 6, 3, 2, 1, 4]);
});

test("the worker's clock is reckoned from the frame that travelled the fastest", () => {
  const model = known({ at: 10_000 });
  model.change(frame({ at: 10_400 }), 600);
  model.change(frame({ at: 10_500 }), 900);

  assert.equal(model.workerTime(1_000), 10_800);
});

test("how long ago something was is told by the worker's calendar, not by the browser's", () => {
  assert.equal(new Model().workerDate(2_000), null);
  const model = known({ date: 1_000_000 });
  assert.equal(model.workerDate(2_000), 1_001_500);

  model.change(frame({ engine, date: 1_010_000, points: [] }), 9_000);
  assert.equal(model.workerDate(9_250), 1_010_250);
});

test("a clock that is set back leaves the last minutes in their order, by the new calendar", () => {
  const model = known({ at: 60_000, date: 1_000_060_000, points: [[59, 1, 0, null, 0], [60, 2, 0, null, 0]] });
  assert.deepEqual(model.history(), [[1_000_059, 1, 0, null, 0], [1_000_060, 2, 0, null, 0]]);

  model.change(frame({ at: 61_000, date: 996_461_000, engine, points: [[61, 3, 0, null, 0]] }), 1_500);
  assert.deepEqual(model.history().map(([at, received]) => [at, received]), [[996_459, 1], [996_460, 2], [996_461, 3]]);
});

test('rates and waits are those since the frame before', () => {
  const model = known();
  model.change(frame({ at: 3_000, engine: { ...engine, lanes: [{ lane: 'process', queued: 0, waits: 14, waited: 3 }], queues: [{ ...queue, received: 16, completed: 8 }] }, misses: [], points: [] }), 2_500);

  assert.deepEqual([model.engine.queues[0].in, model.engine.queues[0].out, model.engine.lanes[0].wait], [3, 1.5, 0.5]);
});

test('a lane has no wait before two frames tell of it, and one beyond measure where nothing was taken all the time', () => {
  const lane = (queued, waits, waited) => ({ ...engine, lanes: [{ lane: 'process', queued, waits, waited }] });
  const model = known({ engine: lane(9, 10, 1) });
  const waits = [model.engine.lanes[0].wait];
  for (const [at, then] of [[2_000, lane(9, 10, 1)], [3_000, lane(9, 14, 3)], [4_000, lane(0, 14, 3)], [5_000, lane(9, 14, 3)], [6_000, lane(9, 14, 3)]]) {
    model.change(frame({ at, engine: then, points: [] }), at);
    waits.push(model.engine.lanes[0].wait);
  }

  assert.deepEqual(waits, [null, Infinity, 0.5, null, null, Infinity]);
});

test('a point that was told twice is kept once, and only minutes are kept', () => {
  const model = known({ points: Array.from({ length: 600 }, (_, i) => [i, 0, 0, null, 0]) });
  model.change(frame({ engine, misses: [], points: [[599, 1, 1, null, 1]] }), 1);
  model.change(frame({ engine, misses: [], points: [[600, 2, 2, null, 2]] }), 2);

  assert.equal(model.points.length, 600);
  assert.deepEqual(model.points.at(-1), [600, 2, 2, null, 2]);
});

test('what matters most is said first', () => {
  assert.equal(headline(known()), 'All leases are safe');
  assert.equal(headline(known({ inHand: 2, inDanger: 1, come: [lease(1, 1, 1)] })), '1 lease in danger');
  assert.equal(headline(known({ inHand: 2, inDanger: 2, lost: 1, come: [lease(1, 1, 3), lease(2, 2, 1)] })), '1 lease lost');
  assert.equal(headline(known({ inDanger: 1, come: [lease(1, 1, 1)], engine: { ...engine, queues: [{ ...queue, isConnected: false }] } })), '1 lease in danger');
  assert.equal(headline(known({ engine: { ...engine, queues: [{ ...queue, isConnected: false }] } })), 'The broker is not connected');
  assert.equal(headline(known({ engine: { ...engine, state: 'Draining' } })), 'Stopping');
  assert.equal(headline(known({ engine: { ...engine, fault: 'The lease loop crashed.' } })), 'The worker failed');
  assert.equal(headline(known({ engine: { ...engine, leaseLoopSilence: 4 } })), 'The lease loop hangs');
  assert.equal(headline(known({ engine: { ...engine, queues: [{ ...queue, holding: 'the pool is late' }] } })), 'All leases are safe, but nothing more is taken');
  assert.equal(headline(known({ misses: [{ at: '1970-01-01T00:00:00Z' }] }), live, 90_000), 'A lease was missed 90 s ago');
  assert.equal(headline(known({ misses: [{ at: '1970-01-01T00:00:00Z' }] }), live, 3_600_000), 'All leases are safe');
  assert.equal(headline(known({ inDanger: 1 }), { state: 'lost', since: 0 }), 'Disconnected');
  assert.equal(headline(known(), { state: 'silent', since: 0 }), 'No news from the worker');
});

test('where other queues are well, the verdict tells of how many, and which', () => {
  const of = (...queues) => {
    const { topic, headline, detail } = judge(known({ engine: { ...engine, queues } }), live, 0);
    return [topic, headline, detail];
  };
  const well = { ...queue, queue: 'letters' };
  const held = { ...queue, queue: 'parcels', holding: 'the pool is late', holdingReason: 'pool' };
  const cut = { ...queue, queue: 'parcels', isConnected: false, problem: 'The queue is gone.' };
  const other = { ...cut, queue: 'stamps', problem: 'Access is refused.' };

  assert.deepEqual(of(held), ['Nothing more is taken', 'All leases are safe, but nothing more is taken', 'The pool is late. Nothing is in hand.']);
  assert.deepEqual(of(held, { ...held, queue: 'letters' }), of(held));
  assert.deepEqual(of(well, held), ['Nothing more is taken from some queues', 'All leases are safe, but nothing more is taken from 1 of 2 queues', 'parcels: The pool is late. Nothing is in hand.']);
  assert.deepEqual(of(cut), ['The broker is not connected', 'The broker is not connected', 'The queue is gone.']);
  assert.deepEqual(of(well, cut), ['Not all queues are connected', '1 of 2 queues is not connected', 'parcels: The queue is gone.']);
  assert.deepEqual(of(well, cut, other), ['Not all queues are connected', '2 of 3 queues are not connected', 'parcels: The queue is gone.']);
  assert.deepEqual(of(cut, other), ['The broker is not connected', 'The broker is not connected', 'parcels: The queue is gone.']);
  assert.deepEqual(of(well, { ...cut, problem: null })[2], 'parcels');
});

test('a queue that the broker gives nothing from, though it is connected, is not told to be well', () => {
  const of = (...queues) => {
    const { mood, topic, headline, detail } = judge(known({ engine: { ...engine, queues }, misses: [{ at: '1970-01-01T00:00:00Z' }] }), live, 0);
    return [mood, topic, headline, detail];
  };
  const refused = { ...queue, problem: 'The queue is gone.' };
  const other = { ...queue, queue: 'letters' };

  assert.deepEqual(of(refused), ['bad', 'Nothing can be taken', 'All leases are safe, but nothing can be taken', 'The queue is gone. Nothing is in hand.']);
  assert.deepEqual(of(refused, other), ['bad', 'Nothing can be taken from some queues', 'All leases are safe, but nothing can be taken from 1 of 2 queues', 'orders: The queue is gone. Nothing is in hand.']);
  assert.equal(headline(known({ inDanger: 1, engine: { ...engine, queues: [refused] } })), '1 lease in danger');
  assert.equal(headline(known({ engine: { ...engine, queues: [refused, { ...other, isConnected: false }] } })), '1 of 2 queues is not connected');
  assert.equal(headline(known({ engine: { ...engine, state: 'Draining', queues: [refused] } })), 'Stopping');
});

test('many names are not all told', () => {
  assert.equal(title(['a', 'b', 'c', 'd']), 'a, b, c, d');
  assert.equal(title(Array.from({ length: 50 }, (_, i) => `${i}`)), '50 queues');
  assert.equal(named(['a', 'b', 'c', 'd']), 'a, b, c, d');
  assert.equal(named(['a', 'b', 'c', 'd', 'e']), 'a, b, c and 2 more');
});

test('leases that are lost are told of, listed one by one or not', () => {
  assert.equal(headline(known({ inHand: 9_000, inDanger: 1_200, lost: 1_100, come: [lease(1, 1, 3)] })), '1,100 leases lost');
});

test('what is read aloud does not change with the figures', () => {
  const topics = [1, 2, 3].map((inDanger) => judge(known({ inHand: 9, inDanger, leastTrust: inDanger }), live, 0).topic);
  assert.deepEqual(new Set(topics), new Set(['Leases in danger']));
});

test('a rate that keeps messages out as it is set is nothing to worry about', () => {
  const limited = { ...queue, holding: 'as many messages have begun as may', holdingReason: 'rate' };
  assert.equal(judge(known({ engine: { ...engine, queues: [limited] } }), live, 0).mood, 'good');
  assert.deepEqual(admissionOf(limited, engine), { mood: 'soft', text: 'Connected. Takes nothing more: as many messages have begun as may.' });
  assert.equal(admissionOf({ ...limited, holdingReason: 'pool' }, engine).mood, 'warn');
});

test('a topic is read aloud once it has stood for a while, and one that comes and goes is not', () => {
  const news = new News();
  const heard = [];
  for (let now = 0; now < 60_000; now += 250) {
    const flips = now >= 20_000 && now < 40_000 && now % 4_000 < 2_000;
    const told = news.hear(flips ? 'Nothing more is taken' : now < 50_000 ? 'All leases are safe' : 'Leases in danger', now);
    if (told !== null) heard.push([now, told]);
  }

  assert.deepEqual(heard, [
    [5_000, 'All leases are safe'],
    [55_000, 'Leases in danger'],
  ]);
});

test('misses stay until others are told', () => {
  const model = known({ misses: [{ at: '1970-01-01T00:00:00Z' }] });
  model.change(frame({ engine, points: [] }), 750);
  assert.equal(model.misses.length, 1);

  model.change(frame({ misses: [{ at: '1970-01-01T00:01:00Z' }, ...model.misses] }), 1_000);
  assert.equal(model.misses.length, 2);
});

test('what is looked for among a part of the leases is told as found among these', () => {
  assert.equal(found(0, { listed: 30, rest: 0 }), '0 found');
  assert.equal(found(0, { listed: 500, rest: 1_700 }), '0 found among the 500 listed');
});

test('figures are as short as they can be said', () => {
  assert.deepEqual([0.004, 0.0996, 1.26, 99.96, 120, 7_200, 200_000, null].map(duration), ['4 ms', '0.1 s', '1.3 s', '100.0 s', '2 min', '2 h', '2 days', '–']);
  assert.deepEqual([0.4, 59.9, 600].map(age), ['0 s', '59 s', '10 min']);
  assert.deepEqual([[1, 1], [1, 3], [2, 3]].map(([attempt_, delivery]) => attempt({ attempt: attempt_, delivery })), ['1', 'of delivery 3', '2 of delivery 3']);
  assert.equal(reason('drain'), 'drain: the worker stopped before its handler was done');
  assert.equal(reason('something new'), 'something new');
});

test('a figure at an axis has room there, however large it is', () => {
  assert.deepEqual([0.25, 4, 9_500, 10_000, 12_500, 100_000, 1_250_000].map(figure), ['0.25', '4', '9500', '10k', '12.5k', '100k', '1.25M']);
});

test('the state of a lease in danger tells that too, in words', () => {
  assert.deepEqual([0, 1, 2, 3].map((danger) => state({ state: 2, danger })), ['awaiting', 'awaiting, late', 'awaiting, ending', 'awaiting']);
});

test('the hour after midnight is the first of its day', () => {
  assert.equal(clock(new Date(2026, 10, 24, 0, 5)), '00:05:00');
  assert.equal(clock(new Date(2026, 10, 24, 23, 59)), '23:59:00');
});

test('a time of another day is told with its day', () => {
  const [evening, night] = [new Date(2026, 10, 24, 23, 59), new Date(2026, 10, 25, 0, 5)];
  assert.equal(when(evening, night), '2026-11-24 23:59');
  assert.equal(when(night, night), '00:05:00');
});

test('whatever is not of now is told to be so', () => {
  const heardAt = Date.now() - 86_400_000;
  for (const state of ['connecting', 'asleep', 'refused', 'silent', 'lost']) {
    const before = judge(known(), { state, since: 0, why: 'Too many.', heardAt }, 0).detail;
    const never = judge(new Model(), { state, since: 0, why: 'Too many.', heardAt: null }, 0).detail;
    assert.ok(before.endsWith(`What you see is how it was at ${moment(heardAt)}.`), `${state}: ${before}`);
    assert.ok(!never.includes('What you see'), `${state}: ${never}`);
  }

  assert.equal(judge(known(), { ...live, state: 'refused', why: 'Too many.', heardAt: null }, 0).detail, 'Too many.');
});
