/** Prefix of BullMQ's keys: a hash tag, so that a queue is on one node of a cluster. */
export const queuePrefix = '{proofdesk}';
