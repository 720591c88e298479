/** What Service Bus says when it does not do what it is asked for: a condition for links, a status for requests, a sentence for people. */
export class Refusal extends Error {
  constructor({ condition, status, endsLink = false }, description) {
    super(description);
    this.condition = condition;
    this.status = status;
    this.endsLink = endsLink;
    this.description = description;
  }

  /** As the `error` of a detach, an end, a close or a rejection. */
  get error() {
    return { condition: this.condition, description: this.description };
  }
}

/** Each condition, with the status that a request is answered with. Some are no answer to a message that is sent: they end the link instead. */
export const Because = {
  messageLockLost: { condition: 'com.microsoft:message-lock-lost', status: 410 },
  sessionLockLost: { condition: 'com.microsoft:session-lock-lost', status: 410 },
  sessionCannotBeLocked: { condition: 'com.microsoft:session-cannot-be-locked', status: 409 },
  messageNotFound: { condition: 'com.microsoft:message-not-found', status: 404 },
  timeout: { condition: 'com.microsoft:timeout', status: 408 },
  serverBusy: { condition: 'com.microsoft:server-busy', status: 503 },
  entityDisabled: { condition: 'com.microsoft:entity-disabled', status: 403 },
  argument: { condition: 'com.microsoft:argument-error', status: 400 },
  notFound: { condition: 'amqp:not-found', status: 404 },
  detachForced: { condition: 'amqp:link:detach-forced', status: 500 },
  deleted: { condition: 'amqp:resource-deleted', status: 404 },
  notAllowed: { condition: 'amqp:not-allowed', status: 403 },
  manyPartitions: { condition: 'amqp:not-allowed', status: 400 },
  notImplemented: { condition: 'amqp:not-implemented', status: 501 },
  unauthorized: { condition: 'amqp:unauthorized-access', status: 401 },
  quota: { condition: 'amqp:resource-limit-exceeded', status: 403 },
  tooLarge: { condition: 'amqp:link:message-size-exceeded', status: 413, endsLink: true },
  batchTooLarge: { condition: 'amqp:not-allowed', status: 400, endsLink: true },
  malformed: { condition: 'amqp:decode-error', status: 400 },
};
