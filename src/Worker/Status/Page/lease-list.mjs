// All leases, in their order. Lines are made once and used again; those out of sight are not painted.

import { LeaseRow } from './lease-row.mjs';
import { count, found } from './words.mjs';

const body = document.getElementById('rows');
const find = document.getElementById('find');

export class LeaseList {
  /** What was found, in words; nothing where nothing is looked for. */
  found = '';
  #rows = new Map();
  #spare = [];
  #byElement = new WeakMap();
  #sight = new IntersectionObserver((seen) => this.#see(seen), { root: document.getElementById('rows-frame'), rootMargin: '64px' });
  #now = 0;
  #isStill = false;
  #counts = { inHand: 0, inDanger: 0, listed: 0, rest: 0 };

  /** Shows the leases at a time of the worker's. */
  show(model, now) {
    this.#now = now;
    this.#isStill = false;
    this.#counts = { inHand: model.inHand, inDanger: model.inDanger, listed: model.leases.size, rest: model.rest };
    const leases = model.sorted().filter(isWanted());
    this.#dropAllBut(new Set(leases.map((lease) => lease.number)));

    let place = body.firstElementChild;
    for (const lease of leases) {
      const row = this.#rowOf(lease);
      row.element.hidden = false;
      if (row.element === place) place = place.nextElementSibling;
      else body.insertBefore(row.element, place);
      row.show(now);
    }

    this.#tell(leases.length);
  }

  /** Stands still until it is shown again, whatever comes into sight meanwhile. */
  freeze() {
    this.#isStill = true;
    for (const row of this.#rows.values()) row.freeze();
  }

  /** Looks among the lines that are there, and touches nothing else of them. */
  look() {
    const wanted = isWanted();
    for (const row of this.#rows.values()) row.element.hidden = !wanted(row.lease);
    this.#tell([...this.#rows.values()].filter((row) => !row.element.hidden).length);
  }

  #tell(shown) {
    const { inHand, inDanger, rest } = this.#counts;
    this.found = wantedText() === '' ? '' : found(shown, this.#counts);
    put('leases-count', [`${count(inHand)} in hand, ${count(inDanger)} in danger`, this.found].filter(Boolean).join(', '));
    put('leases-rest', rest === 0 ? '' : `And ${count(rest)} more, none of them nearer to its end than those in danger above.`);
  }

  #rowOf(lease) {
    let row = this.#rows.get(lease.number);
    if (!row) {
      row = this.#spare.pop() ?? this.#newRow();
      this.#rows.set(lease.number, row);
    }

    // Each process counts from 1 on: a number that is known may be another's by now.
    if (row.lease !== lease) row.hold(lease);
    return row;
  }

  #newRow() {
    const row = new LeaseRow();
    this.#byElement.set(row.element, row);
    this.#sight.observe(row.element);
    return row;
  }

  #dropAllBut(numbers) {
    for (const [number, row] of this.#rows) {
      if (numbers.has(number)) continue;
      // Whether it is in sight is for the observer alone to say: it tells nothing of a line that is used again in the same frame.
      row.element.remove();
      this.#rows.delete(number);
      this.#spare.push(row);
    }
  }

  #see(seen) {
    for (const { target, isIntersecting } of seen) {
      const row = this.#byElement.get(target);
      row.isVisible = isIntersecting;
      if (this.#rows.get(row.lease?.number) !== row) continue;
      row.show(this.#now);
      if (this.#isStill) row.freeze();
    }
  }
}

const wantedText = () => find.value.trim().toLowerCase();

function isWanted() {
  const wanted = wantedText();
  return (lease) => lease.id.toLowerCase().includes(wanted) || lease.queue.toLowerCase().includes(wanted);
}

function put(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}
