// The events of the worker: whether they come, and since when not.

const SILENCE = 3_000;
const AGAIN_AFTER = 10_000;
const HIDDEN_FOR = 30_000;
const LONGEST_REASON = 300;

export class Link {
  state = 'connecting';
  since = Date.now();
  why = '';

  /** When the last frame came; null before the first. */
  heardAt = null;
  #source = null;
  #attempt = 0;
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
    this.#end();
    this.#source = new EventSource('status/events');
    for (const name of ['whole', 'change']) this.#source.addEventListener(name, ({ data }) => this.#take(name, JSON.parse(data)));
    this.#source.addEventListener('error', () => this.#fail());
    this.#silence = setTimeout(() => this.#miss(), SILENCE);
  }

  // Whatever an attempt still waits for ends with it.
  #end() {
    this.#attempt++;
    this.#forgetTimes();
    this.#source?.close();
  }

  #forgetTimes() {
    clearTimeout(this.#silence);
    clearTimeout(this.#later);
  }

  #take(name, frame) {
    this.#forgetTimes();
    this.#silence = setTimeout(() => this.#miss(), SILENCE);
    this.heardAt = Date.now();
    this.#enter('live');
    this.#onFrame(name, frame);
  }

  // A connection may have died without a word of it, and so may the next; and a proxy that gathers what it passes on may hold back even the first word.
  #miss() {
    this.#tryLater();
    this.#enter(this.#source.readyState === EventSource.OPEN ? 'silent' : 'lost');
  }

  // The browser tries again by itself where the connection broke; where the worker refused, it does not, nor tell why.
  async #fail() {
    this.#forgetTimes();
    this.#tryLater();
    if (this.#source.readyState !== EventSource.CLOSED) {
      this.#enter('lost');
      return;
    }

    const attempt = this.#attempt;
    const refusal = await ask();
    if (attempt !== this.#attempt) return;
    if (refusal) this.#enter(refusal.state, refusal.why);
    else this.#open();
  }

  #tryLater() {
    this.#later = setTimeout(() => this.#open(), AGAIN_AFTER);
  }

  // A page that nobody sees costs the worker nothing for long.
  #look() {
    clearTimeout(this.#bedtime);
    if (document.hidden) this.#bedtime = setTimeout(() => this.#sleep(), HIDDEN_FOR);
    else if (this.state === 'asleep') this.#wake();
    else if (this.#source.readyState === EventSource.CLOSED) this.#open();
  }

  #sleep() {
    this.#end();
    this.#enter('asleep');
  }

  #wake() {
    this.#enter('connecting');
    this.#open();
  }

  #enter(state, why = '') {
    if (state === this.state && why === this.why) return;
    this.since = Date.now();
    this.state = state;
    this.why = why;
    this.#onState();
  }
}

// What the browser was answered when it gave up; null where it would be let in now.
async function ask() {
  try {
    const answer = await fetch('status/events', { cache: 'no-store', signal: AbortSignal.timeout(SILENCE) });
    const type = answer.headers.get('content-type') ?? '';
    if (!answer.ok || !type.startsWith('text/event-stream')) return { state: 'refused', why: await reasonOf(answer, type) };
    await answer.body.cancel();
    return null;
  } catch {
    return { state: 'lost' };
  }
}

// The worker gives its reasons as plain text. Whoever else answers in its place, such as a proxy, may send a page of any length.
async function reasonOf(answer, type) {
  if (!type.startsWith('text/plain')) return `The answer was ${[answer.status, answer.statusText].join(' ').trim()}, and no events.`;
  const letters = [...(await answer.text()).trim()];
  return letters.length > LONGEST_REASON ? `${letters.slice(0, LONGEST_REASON).join('')}…` : letters.join('');
}
