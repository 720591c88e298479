// What is read aloud: a topic that has stood for a while. What comes and goes would have a screen reader talk without end.

const STANDS_FOR = 5_000;

export class News {
  #told = 'Connecting';
  #topic = 'Connecting';
  #since = 0;

  /** What there is to say now that this is the topic; null where there is nothing. */
  hear(topic, now) {
    if (topic !== this.#topic) [this.#topic, this.#since] = [topic, now];
    if (topic === this.#told || now - this.#since < STANDS_FOR) return null;
    this.#told = topic;
    return topic;
  }
}
