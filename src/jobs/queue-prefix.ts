import type { QueueName } from './catalogue.ts';

/**
 * Returns the prefix of BullMQ's keys for a queue: a separate hash tag, so that each queue is whole on one node of a Redis
 * Cluster, but not all of them on the same one.
 */
export const queuePrefixOf = (queue: QueueName) => `{proofdesk:queue:${queue}}`;
