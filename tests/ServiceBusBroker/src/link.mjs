import { admit, refuse } from './engine.mjs';

/** What all links have in common: they are admitted or refused once, and end once. */
export class Link {
  #ended = false;
  #answered = false;

  constructor(peer, link, address) {
    this.peer = peer;
    this.link = link;
    this.address = address;
    link.handler = this;
    peer.add(this);
  }

  get session() {
    return this.link.session;
  }

  get isLive() {
    return !this.#ended;
  }

  admit() {
    if (this.#ended) return;
    this.#answered = true;
    admit(this.link);
  }

  refuse(refusal) {
    if (this.#ended) return;
    this.#answered = true;
    refuse(this.link, refusal.error);
    this.end();
  }

  /** Detaches the client. */
  close(refusal) {
    if (this.#ended) return;
    this.link.close(refusal?.error);
    this.end();
  }

  end() {
    if (this.#ended) return;
    this.#ended = true;
    this.peer.remove(this);
    // A client that gives up before it was answered still gets an answer to its attach, ahead of that to its detach.
    if (!this.#answered) admit(this.link);
    this.onEnd();
  }

  onEnd() {}

  onFlow() {}

  /** Something that belongs to it has travelled. */
  onTraffic() {}

  onMessage() {}

  onDisposition() {}
}
