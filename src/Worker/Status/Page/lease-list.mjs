// All leases, in their order. Lines are made once and used again; those out of sight are not painted.

import { LeaseRow } from './lease-row.mjs';
import { count } from './words.mjs';

const body = document.getElementById('rows');
const find = document.getElementById('find');

export class LeaseList {
  #rows = new Map();
  #spare = [];
  #byElement = new WeakMap();
  #sight = new IntersectionObserver((seen) => this.#see(seen), { root: document.getElementById('rows-frame'), rootMargin: '64px' });
  #now = 0;
  #isStill = false;

  /** Shows the leases at a time of the worker's. */
  show(model, now) {
    this.#now = now;
    this.#isStill = false;
    const wanted = find.value.trim().toLowerCase();
    const leases = model.sorted().filter((lease) => wanted === '' || lease.id.toLowerCase().includes(wanted));
    this.#dropAllBut(new Set(leases.map((lease) => lease.number)));

    let place = body.firstElementChild;
    for (const lease of leases) {
      const row = this.#rowOf(lease);
      if (row.element === place) place = place.nextElementSibling;
      else body.insertBefore(row.element, place);
      row.show(now);
    }

    this.#tell(model, leases.length, wanted);
  }

  /** Stands still until it is shown again, whatever comes into sight meanwhile. */
  freeze() {
    this.#isStill = true;
    for (const row of this.#rows.values()) row.freeze();
  }

  #tell(model, shown, wanted) {
    const listed = wanted === '' ? '' : `, ${count(shown)} found`;
    put('leases-count', `${count(model.inHand)} in hand, ${count(model.inDanger)} in danger${listed}`);
    put('leases-rest', model.rest === 0 ? '' : `And ${count(model.rest)} more, none of them nearer to its end than those in danger above.`);
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

function put(id, text) {
  const element = document.getElementById(id);
  if (element.textContent !== text) element.textContent = text;
}
