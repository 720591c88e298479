/** Messages that wait to be taken, in the order in which they came, whatever their partitions number them. What is given back stands where it stood before. */
export class Shelf {
  #messages = [];
  #head = 0;

  get size() {
    return this.#messages.length - this.#head;
  }

  first() {
    return this.#messages[this.#head];
  }

  put(message) {
    const at = this.#indexOf(message.place);
    if (at === this.#messages.length) this.#messages.push(message);
    else if (at === this.#head && this.#head > 0) this.#messages[--this.#head] = message;
    else this.#messages.splice(at, 0, message);
  }

  take() {
    const message = this.#messages[this.#head];
    this.#messages[this.#head++] = undefined;
    if (this.#head === this.#messages.length || this.#head > 4096) {
      this.#messages.splice(0, this.#head);
      this.#head = 0;
    }
    return message;
  }

  remove(message) {
    const at = this.#indexOf(message.place);
    if (this.#messages[at] === message) this.#messages.splice(at, 1);
  }

  // Where the first message with such a place, or a later one, stands.
  #indexOf(place) {
    let low = this.#head;
    let high = this.#messages.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#messages[middle].place < place) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
