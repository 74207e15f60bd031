/** The kinds of messages that mirror a record. */
export const liveMessageNames = [
  'card',
  'announcement',
  'queue',
  'reminder',
  'daily',
  'campaigns',
  'assigned notice',
  'bulk',
] as const;
export type LiveMessageName = (typeof liveMessageNames)[number];

/** Fault points while a message is posted or updated; each kind of message has its own. */
const renderMoments = [
  'render lease acquired',
  'post slot reserved',
  'post attempt stored, not posted',
  'posted, not recorded',
  'post recorded',
  'updated, not recorded',
  'rendered, lease not released',
] as const;

/** A fault point of one kind of live message, such as `card: posted, not recorded`. */
export type RenderFaultPoint = `${LiveMessageName}: ${(typeof renderMoments)[number]}`;

/** Returns the fault points of one kind of live message. */
export function renderFaultPoints(name: LiveMessageName): RenderFaultPoint[] {
  return renderMoments.map((moment) => `${name}: ${moment}` as const);
}

const otherFaultPoints = [
  'event read, not stored',
  'event stored',
  'results read, nothing stored',
  'task stored, card job not queued',
  'rows stored, import not recorded',
  'details read, not stored',
  'decision stored, no job queued',
  'redraw queued, send not',
  'due found',
  'claimed, not sent',
  'sent, not recorded',
  'one of several recorded',
  'failure not recorded',
  'reconciled, not recorded',
  'next send not queued',
  'card to be moved, not queued',
  'room in the window taken, card not queued',
] as const;

/** Fault points of an approval. */
const approvalFaultPoints = ['approved, no job queued', 'approved act claimed, not sent'] as const;

/** Fault points of a focus review. */
const focusFaultPoints = [
  'decided in focus review, not moved on',
  'focus review moved on, nothing shown',
] as const;

/** Fault points of evidence, where flow tests end the process. */
type EvidenceFaultPoint = 'evidence stored, cards not told';

/** Fault points of a bulk rating. */
const bulkFaultPoints = [
  'bulk: confirmed, no job queued',
  'bulk: decided, not recorded',
  'bulk: recorded, not shown',
  'bulk: undone, not recorded',
] as const;

const ownFaultPoints = [
  ...otherFaultPoints,
  ...approvalFaultPoints,
  ...focusFaultPoints,
  ...bulkFaultPoints,
] as const;

export type FaultPoint = RenderFaultPoint | EvidenceFaultPoint | (typeof ownFaultPoints)[number];

/**
 * The points between two steps of posting and rating at which a process may die. Each is passed by name, so that a test
 * can end the process there and verify that nothing is lost or done twice.
 */
export const faultPoints: readonly FaultPoint[] = [
  ...ownFaultPoints,
  ...liveMessageNames.flatMap(renderFaultPoints),
];

/** The fault points of actions outside a card. */
export const deskFaultPoints: readonly FaultPoint[] = [
  ...approvalFaultPoints,
  ...focusFaultPoints,
  ...bulkFaultPoints,
  ...renderFaultPoints('assigned notice'),
  ...renderFaultPoints('bulk'),
];

/** Called at every fault point; the caller awaits it. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** The faults of production: none. */
export const noFaults: Faults = () => undefined;
