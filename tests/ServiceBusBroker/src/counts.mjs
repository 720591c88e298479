/** How often each thing was done. */
export class Counts {
  #counts = new Map();

  add(what, times = 1) {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + times);
  }

  clear() {
    this.#counts.clear();
  }

  toJSON() {
    return Object.fromEntries([...this.#counts].sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}
