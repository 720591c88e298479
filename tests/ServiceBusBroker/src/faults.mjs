import { Because, Refusal } from './refusal.mjs';

export const EFFECTS = ['delay', 'fail', 'server-busy', 'silent', 'lost-reply', 'nonsense', 'cut'];

/**
 * What is to go wrong, as a test has scripted it. Each fault names an operation and an effect:
 * `delay` does it later; `fail` and `server-busy` refuse it; `silent` neither does it nor answers; `lost-reply` does it and does not answer;
 * `nonsense` answers what no client can understand; `cut` breaks the connection instead.
 */
export class Faults {
  #clock;
  #scripts = [];

  constructor(clock) {
    this.#clock = clock;
  }

  add({ operation, effect, entity, times = Infinity, milliseconds = 0, condition, status, description }) {
    if (!operation) throw new Refusal(Because.argument, 'A fault needs an operation.');
    if (!EFFECTS.includes(effect)) throw new Refusal(Because.argument, `A fault's effect is one of ${EFFECTS.join(', ')}.`);
    this.#scripts.push({ operation, effect, entity: entity?.toLowerCase(), times, milliseconds, refusal: refusalOf(effect, condition, status, description) });
  }

  clear() {
    this.#scripts = [];
  }

  /**
   * Runs an operation as it is scripted: `perform(how)`, with how = 'answer', 'mute' or 'nonsense'; `refuse(refusal)`; `cut()`.
   * Nothing scripted is the common case, and must cost next to nothing.
   */
  run(operation, entity, { perform, refuse, cut }) {
    const fault = this.#scripts.length > 0 ? this.#take(operation, entity) : null;
    switch (fault?.effect) {
      case undefined:
        return perform('answer');
      case 'delay':
        return this.#clock.at(this.#clock.now() + fault.milliseconds, () => perform('answer'));
      case 'fail':
      case 'server-busy':
        return refuse(fault.refusal);
      case 'lost-reply':
        return perform('mute');
      case 'nonsense':
        return perform('nonsense');
      case 'cut':
        return cut();
      default:
        return undefined;
    }
  }

  #take(operation, entity) {
    const path = entity?.toLowerCase();
    const script = this.#scripts.find((one) => one.operation === operation && (one.entity === undefined || one.entity === path) && one.times > 0);
    if (!script) return null;
    if (--script.times === 0) this.#scripts = this.#scripts.filter((one) => one !== script);
    return script;
  }
}

function refusalOf(effect, condition, status, description) {
  const because = effect === 'server-busy' ? Because.serverBusy : { condition: 'amqp:internal-error', status: 500 };
  return new Refusal(
    { condition: condition ?? because.condition, status: status ?? because.status },
    description ?? (effect === 'server-busy' ? 'The request was terminated because the entity is being throttled. Please wait 10 seconds and try again.' : 'The service was unable to process the request; please retry the operation.'),
  );
}
