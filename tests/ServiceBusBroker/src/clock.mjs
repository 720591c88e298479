// A timer of Node's can't be set further ahead than this many milliseconds.
const LONGEST_TIMER = 2 ** 31 - 1;

/** The broker's time: it runs like the machine's, but never backwards, and a test may push it ahead. */
export class Clock {
  #ahead = 0;
  #deadlines = [];
  #timer = null;
  #wakesAt = Infinity;

  /** Milliseconds since 1970. */
  now() {
    return Math.floor(performance.timeOrigin + performance.now()) + this.#ahead;
  }

  /** Calls `act` once `time` has come. The answer can be cancelled. */
  at(time, act) {
    const deadline = { time, act, cancelled: false };
    push(this.#deadlines, deadline);
    this.#setTimer();
    return deadline;
  }

  cancel(deadline) {
    if (deadline) deadline.cancelled = true;
  }

  /** Pushes time ahead, and does at once what has become due by that. */
  advance(milliseconds) {
    this.#ahead += milliseconds;
    this.#run();
  }

  stop() {
    clearTimeout(this.#timer);
    this.#deadlines = [];
  }

  #run() {
    while (this.#deadlines.length > 0 && (this.#deadlines[0].cancelled || this.#deadlines[0].time <= this.now())) {
      const { act, cancelled } = pop(this.#deadlines);
      if (!cancelled) act();
    }
    clearTimeout(this.#timer);
    this.#wakesAt = Infinity;
    this.#setTimer();
  }

  #setTimer() {
    const first = this.#deadlines[0];
    if (!first || first.time >= this.#wakesAt) return;
    clearTimeout(this.#timer);
    this.#wakesAt = first.time;
    this.#timer = setTimeout(() => this.#run(), Math.min(Math.max(first.time - this.now(), 0), LONGEST_TIMER));
  }
}

// A binary heap, the earliest deadline on top.
function push(heap, deadline) {
  let at = heap.push(deadline) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (heap[parent].time <= deadline.time) break;
    heap[at] = heap[parent];
    at = parent;
  }
  heap[at] = deadline;
}

function pop(heap) {
  const top = heap[0];
  const last = heap.pop();
  if (heap.length === 0) return top;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && heap[child + 1].time < heap[child].time) child++;
    if (heap[child].time >= last.time) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = last;
  return top;
}
