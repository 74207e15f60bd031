/** An event is not stored, and not acked: Slack delivers it again. */
export class NotStored extends Error {}
