/**
 * How long nothing has travelled on a link: `over()` once that is too long. What travels only leaves its time behind: setting a deadline anew
 * for each message would fill the clock with deadlines that are cancelled. With no milliseconds it is never over.
 */
export class Idleness {
  #clock;
  #milliseconds;
  #over;
  #since;
  #deadline = null;

  constructor(clock, milliseconds, over) {
    this.#clock = clock;
    this.#milliseconds = milliseconds;
    this.#over = over;
    this.note();
    if (milliseconds > 0) this.#await();
  }

  /** Something travels. */
  note() {
    if (this.#milliseconds > 0) this.#since = this.#clock.now();
  }

  stop() {
    this.#clock.cancel(this.#deadline);
  }

  #await() {
    this.#deadline = this.#clock.at(this.#since + this.#milliseconds, () => {
      if (this.#clock.now() < this.#since + this.#milliseconds) this.#await();
      else this.#over();
    });
  }
}

/** Milliseconds as .NET writes a time span: 00:10:00. */
export function timeSpan(milliseconds) {
  const two = (number) => String(Math.floor(number)).padStart(2, '0');
  const [days, rest, fraction] = [Math.floor(milliseconds / 86_400_000), milliseconds / 1000, milliseconds % 1000];
  const text = `${two((rest / 3600) % 24)}:${two((rest / 60) % 60)}:${two(rest % 60)}`;
  return `${days > 0 ? `${days}.` : ''}${text}${fraction > 0 ? `.${String(fraction).padStart(3, '0')}0000` : ''}`;
}
