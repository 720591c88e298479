// One lease's line. Its bar runs down by itself, off the main thread, from one renewal to the next.

import { LOST } from './model.mjs';
import { age, attempt, duration, state } from './words.mjs';

const OUT_OF_SIGHT_EVERY = 2_000;

const stillness = matchMedia('(prefers-reduced-motion: reduce)');
const template = document.getElementById('lease');

export class LeaseRow {
  lease = null;
  element = template.content.firstElementChild.cloneNode(true);
  isVisible = false;
  #parts = Object.fromEntries(['id', 'queue-name', 'bar', 'left', 'state', 'age', 'attempt', 'priority'].map((name) => [name, this.element.querySelector(`.${name}`)]));
  #fill = this.element.querySelector('i');
  #run = null;
  #runsTo = null;
  #toldAt = -Infinity;

  /** Begins to show another lease. */
  hold(lease) {
    this.lease = lease;
    this.#toldAt = -Infinity;
    this.#stop();
    const { id, 'queue-name': queue, priority } = this.#parts;
    for (const [part, text] of [[id, lease.id], [queue, lease.queue]]) {
      part.textContent = text;
      part.title = text;
    }

    priority.textContent = lease.priority;
  }

  /** Shows what has changed; out of sight only now and then, for who reads or searches there. */
  show(now) {
    const { lease, element } = this;
    if (element.dataset.danger !== `${lease.danger}`) element.dataset.danger = lease.danger;
    if (!this.isVisible) this.#stop();
    if (!this.isVisible && now - this.#toldAt < OUT_OF_SIGHT_EVERY) return;

    this.#toldAt = now;
    const left = Math.max(0, lease.until - now);
    put(this.#parts.left, lease.danger === LOST ? 'lost' : duration(left / 1000));
    put(this.#parts.state, state(lease));
    put(this.#parts.age, age((now - lease.since) / 1000));
    put(this.#parts.attempt, attempt(lease));
    if (this.isVisible) this.#runDown(lease.danger === LOST ? 0 : left);
  }

  /** Stands still where it is, with what it shows: the lease itself goes on. */
  freeze() {
    this.lease = { ...this.lease };
    this.#run?.pause();
    this.#runsTo = null;
  }

  #runDown(left) {
    const { until, lock } = this.lease;
    const share = Math.min(1, left / lock);
    if (stillness.matches || left === 0) {
      this.#stop();
      this.#fill.style.transform = `scaleX(${share.toFixed(3)})`;
      return;
    }

    if (this.#runsTo === until) return;
    const isRenewed = this.#runsTo !== null;
    this.#stop();
    this.#runsTo = until;
    this.#run = this.#fill.animate({ transform: [`scaleX(${share})`, 'scaleX(0)'] }, { duration: left, fill: 'forwards' });
    if (isRenewed) this.#fill.animate({ opacity: [0.3, 1] }, 500);
  }

  #stop() {
    this.#run?.cancel();
    this.#run = null;
    this.#runsTo = null;
  }
}

function put(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
