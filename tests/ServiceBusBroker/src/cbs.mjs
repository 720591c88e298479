import { Because, Refusal } from './refusal.mjs';
import { Answers, demand } from './requests.mjs';

/** The node `$cbs`: clients put their tokens there before they attach anything else. */
export class Cbs {
  answers = Answers.cbs;
  entity = null;
  #tokens;

  constructor(tokens) {
    this.#tokens = tokens;
  }

  nameOf(operation) {
    return operation;
  }

  perform(operation, body, properties, peer) {
    if (operation !== 'put-token') throw new Refusal(Because.notImplemented, `There is no operation '${operation}'.`);
    peer.grant(this.#tokens.verify(demand(properties, 'type').value, body?.value, demand(properties, 'name').value));
    return { status: 202, description: 'Accepted' };
  }
}
