// The events of the worker: whether they come, and since when not.

const SILENCE = 3_000;
const SILENT_FOR = 10_000;
const REFUSED_FOR = 10_000;
const HIDDEN_FOR = 30_000;

export class Link {
  state = 'connecting';
  since = Date.now();
  why = '';
  #source = null;
  #onFrame;
  #onState;
  #silence;
  #later;
  #bedtime;

  constructor(onFrame, onState) {
    this.#onFrame = onFrame;
    this.#onState = onState;
    document.addEventListener('visibilitychange', () => this.#look());
    this.#open();
    this.#look();
  }

  #open() {
    clearTimeout(this.#later);
    this.#source?.close();
    this.#source = new EventSource('status/events');
    for (const name of ['whole', 'change']) this.#source.addEventListener(name, ({ data }) => this.#take(name, JSON.parse(data)));
    this.#source.addEventListener('error', () => this.#fail());
  }

  #take(name, frame) {
    clearTimeout(this.#silence);
    clearTimeout(this.#later);
    this.#silence = setTimeout(() => this.#miss(), SILENCE);
    this.#enter('live');
    this.#onFrame(name, frame);
  }

  // A connection may have died without a word of it, and so may the next.
  #miss() {
    this.#enter('silent');
    this.#later = setTimeout(() => {
      this.#open();
      this.#miss();
    }, SILENT_FOR);
  }

  // The browser tries again by itself where the connection broke; where the worker refused, it does not, nor tell why.
  async #fail() {
    clearTimeout(this.#silence);
    clearTimeout(this.#later);
    if (this.#source.readyState !== EventSource.CLOSED) {
      this.#enter('lost');
      return;
    }

    this.#later = setTimeout(() => this.#open(), REFUSED_FOR);
    try {
      const answer = await fetch('status/events', { cache: 'no-store', signal: AbortSignal.timeout(SILENCE) });
      if (!answer.ok) {
        this.#enter('refused', await answer.text());
        return;
      }

      await answer.body.cancel();
      this.#open();
    } catch {
      this.#enter('lost');
    }
  }

  // A page that nobody sees costs the worker nothing for long.
  #look() {
    clearTimeout(this.#bedtime);
    if (document.hidden) this.#bedtime = setTimeout(() => this.#sleep(), HIDDEN_FOR);
    else if (this.state === 'asleep' || this.#source.readyState === EventSource.CLOSED) this.#open();
  }

  #sleep() {
    clearTimeout(this.#silence);
    clearTimeout(this.#later);
    this.#source.close();
    this.#enter('asleep');
  }

  #enter(state, why = '') {
    if (state === this.state && why === this.why) return;
    this.since = Date.now();
    this.state = state;
    this.why = why;
    this.#onState();
  }
}
