// What the page knows of the worker, frame by frame. Touches no document, and reads no clock but what it is given.

export const LOST = 3;

// The history that the worker keeps, in seconds.
const MOST_POINTS = 600;

// The frame that travelled the fastest tells best how the worker's clock runs beside ours.
const REMEMBERED_OFFSETS = 40;

/** The most endangered first, and among those that are well, the one held for the longest: so nothing moves while all is well. */
export const byUrgency = (one, other) =>
  other.danger - one.danger || (one.danger > 0 ? one.until - other.until : 0) || one.number - other.number;

export class Model {
  leases = new Map();
  points = [];
  misses = [];
  engine = null;
  worker = null;
  inHand = 0;
  inDanger = 0;
  lost = 0;
  leastTrust = null;
  #offsets = [];
  #before = null;
  #dated = null;

  /** Takes a frame that tells all. */
  whole(frame, now) {
    this.leases.clear();
    this.points = [];
    this.worker = frame.worker;
    this.#offsets = [];
    this.#before = null;
    this.change(frame, now);
  }

  /** Takes a frame that tells what is new. */
  change(frame, now) {
    this.#offsets.push(frame.at - now);
    if (this.#offsets.length > REMEMBERED_OFFSETS) this.#offsets.shift();
    ({ inHand: this.inHand, inDanger: this.inDanger, lost: this.lost, leastTrust: this.leastTrust } = frame);
    for (const number of frame.gone) this.leases.delete(number);
    for (const [number, until, attempt, state, danger, id, queue, priority, delivery, since, lock] of frame.come)
      this.leases.set(number, { number, until, attempt, state, danger, id, queue, priority, delivery, since, lock });
    for (const [number, until, attempt, state, danger] of frame.changed) Object.assign(this.leases.get(number), { until, attempt, state, danger });
    if (frame.misses) this.misses = frame.misses;
    if (frame.engine) this.#second(frame, now);
  }

  /** The worker's time, in milliseconds, at a time of ours. */
  workerTime = (now) => now + Math.max(...this.#offsets);

  /** The date by the worker's calendar, in milliseconds, at a time of ours; ours may be wrong. Unknown before the first second. */
  workerDate = (now) => this.#dated && this.#dated.date + now - this.#dated.now;

  /** The last minutes by the worker's calendar. When its clock is set they all move, and none before another. */
  history() {
    const startedAt = (this.#dated.date - this.#dated.at) / 1000;
    return this.points.map(([at, ...figures]) => [at + startedAt, ...figures]);
  }

  /** All leases that are shown, in their order. */
  sorted = () => [...this.leases.values()].sort(byUrgency);

  /** How many are not shown one by one. */
  get rest() {
    return Math.max(0, this.inHand - this.leases.size);
  }

  #second(frame, now) {
    this.engine = withRates(frame.engine, this.#before, frame.at);
    this.#before = { engine: frame.engine, at: frame.at };
    this.#dated = { date: frame.date, at: frame.at, now };
    const last = this.points.at(-1)?.[0] ?? -Infinity;
    this.points.push(...frame.points.filter(([at]) => at > last));
    if (this.points.length > MOST_POINTS) this.points.splice(0, this.points.length - MOST_POINTS);
  }
}

const settled = (queue) => queue.completed + queue.abandoned + queue.delayed + queue.deadLettered;

// Where nothing was taken although something waited all the time, there is no average: it waits for longer than we know.
function waitBetween(then, now) {
  const waits = now.waits - then.waits;
  if (waits > 0) return (now.waited - then.waited) / waits;
  return then.queued > 0 && now.queued > 0 ? Infinity : null;
}

// What the worker counts since its start, as it goes now.
function withRates(engine, before, at) {
  const seconds = before ? (at - before.at) / 1000 : 0;
  const rate = (now, then) => (seconds > 0 && then !== undefined ? (now - then) / seconds : null);
  return {
    ...engine,
    queues: engine.queues.map((queue) => {
      const then = before?.engine.queues.find((other) => other.queue === queue.queue);
      return { ...queue, in: rate(queue.received, then?.received), out: rate(settled(queue), then && settled(then)) };
    }),
    lanes: engine.lanes.map((lane) => {
      const then = before?.engine.lanes.find((other) => other.lane === lane.lane);
      return { ...lane, wait: then ? waitBetween(then, lane) : null };
    }),
  };
}
