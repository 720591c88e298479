import { codeOf, described, entriesOf, error, State } from './wire.mjs';

/** What a client's delivery state asks for: { kind, changes, reason, description }. */
export function outcomeOf(state) {
  switch (codeOf(state)) {
    case State.accepted:
      return { kind: 'complete' };
    case State.released:
      return { kind: 'release' };
    case State.modified:
      return { kind: state.value[1]?.value === true ? 'defer' : 'abandon', changes: entriesOf(state.value[2]) };
    case State.rejected:
      return burial(state.value[0]);
    default:
      return { kind: 'unknown' };
  }
}

/** Does to a queue's message what the outcome says. */
export function apply(queue, token, { kind, changes, reason, description }) {
  switch (kind) {
    case 'complete':
      return queue.complete(token);
    case 'abandon':
      return queue.abandon(token, changes);
    case 'defer':
      return queue.defer(token, changes);
    case 'dead-letter':
      return queue.deadLetter(token, reason, description, changes);
    default:
      return queue.release(token);
  }
}

/** How success is answered: by the same outcome, but never with an error, for clients take that for a failure. */
export const answerTo = (state) => (codeOf(state) === State.rejected ? described(State.rejected, []) : state);

export const rejection = (refusal) => described(State.rejected, [error(refusal)]);

function burial(typedError) {
  const { DeadLetterReason: reason, DeadLetterErrorDescription: description, ...changes } = entriesOf(typedError?.value[2]);
  return { kind: 'dead-letter', reason: reason?.value, description: description?.value ?? typedError?.value[1]?.value, changes };
}
