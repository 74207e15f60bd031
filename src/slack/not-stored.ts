/** An event could not be stored and is not acked, so that Slack redelivers it. */
export class NotStored extends Error {}
