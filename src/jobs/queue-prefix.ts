import type { QueueName } from './catalogue.ts';

/**
 * Returns the prefix of BullMQ's keys for a queue: a hash tag of its own, so that each queue is whole on one node of a Redis
 * Cluster, and not all of them on the same.
 */
export const queuePrefixOf = (queue: QueueName) => `{proofdesk:queue:${queue}}`;

/** The one prefix of all queues up to version 0.1; move-queues.ts moves what is left there. */
export const formerQueuePrefix = '{proofdesk}';
