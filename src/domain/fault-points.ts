/** The kinds of messages that mirror a record. */
export const liveMessageNames = ['card', 'announcement', 'queue', 'reminder', 'daily', 'campaigns'] as const;

/**
 * Of these, of direct messages about tasks, and of the progress of a bulk rating: the chaos run assigns nothing and selects no
 * tasks, so flow tests end the process there.
 */
export type LiveMessageName = (typeof liveMessageNames)[number] | 'assigned notice' | 'bulk';

/** The moments while a message is posted or updated; each kind of message has its own. */
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

/** The moments of an approval. Flow tests end the process there: the chaos run asks for no approvals. */
type ApprovalFaultPoint = 'approved, no job queued' | 'approved act claimed, not sent';

/** The moments of a focus review; flow tests end the process there. */
type FocusFaultPoint = 'decided in focus review, not moved on' | 'focus review moved on, nothing shown';

/** The moments of evidence; flow tests end the process there. */
type EvidenceFaultPoint = 'evidence stored, cards not told';

/** The moments of a reply in a thread; flow tests end the process there. */
type ReplyFaultPoint = 'reply carried out, not answered' | 'reply answered, not recorded';

/** The moments of a bulk rating; flow tests end the process there. */
export const bulkFaultPoints = [
  'bulk: confirmed, no job queued',
  'bulk: decided, not recorded',
  'bulk: recorded, not shown',
  'bulk: undone, not recorded',
] as const;

export type FaultPoint =
  | RenderFaultPoint
  | (typeof otherFaultPoints)[number]
  | ApprovalFaultPoint
  | FocusFaultPoint
  | EvidenceFaultPoint
  | ReplyFaultPoint
  | (typeof bulkFaultPoints)[number];

/**
 * The moments between two steps of posting and rating at which a process may die. Each is passed by name, so that a
 * test can end the process there and show that nothing is lost and nothing done twice.
 */
export const faultPoints: readonly FaultPoint[] = [
  ...otherFaultPoints,
  ...liveMessageNames.flatMap(renderFaultPoints),
];

/** Called at every fault point; the caller waits for it. */
export type Faults = (passing: FaultPoint) => Promise<void> | void;

/** The faults of production: none. */
export const noFaults: Faults = () => undefined;
