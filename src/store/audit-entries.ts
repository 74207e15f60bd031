import { AuditEntry, type AuditedAct, type NewAuditEntry, type Trail } from '../domain/audit.ts';
import type { NoteEvent, TaskEvent } from '../domain/events.ts';
import { type AccountRights, type Grantee, isSameGrantee, type RightsChange } from '../domain/rights.ts';
import { isPending, type Task } from '../domain/task.ts';
import type { Logger } from '../logger.ts';
import { createCodec } from './codec.ts';
import { accountKey, workspaceKey } from './keys.ts';

/** An audit entry that a Redis step adds together with a change. */
export interface AuditStep {
  /** The trail's key, and the entry's text. */
  readonly key: string;
  readonly text: string;
  /** Logs the entry. Must be called once, when the step was made. */
  stored(): void;
}

/** Returns an entry for a store that adds it in the same step as its change. */
export type AuditWriter = (trail: Trail, entry: NewAuditEntry) => AuditStep;

/** Returns the key of a trail: a stream. */
export function auditKey({ workspace, account }: Trail): string {
  return account === undefined
    ? workspaceKey(workspace, 'audit')
    : accountKey({ workspace, account }, 'audit');
}

/**
 * Creates the writer of audit entries.
 * @param logger gets each stored entry as a line, for a log system that Redis's administrators cannot change
 */
export function createAuditWriter({
  now = Date.now,
  logger,
}: {
  readonly now?: () => number;
  readonly logger?: Pick<Logger, 'info'>;
} = {}): AuditWriter {
  return (trail, newEntry) => {
    const entry: AuditEntry = { at: now(), ...newEntry };
    return {
      key: auditKey(trail),
      text: auditLineCodec.encode(entry),
      stored: () => logger?.info({ ...trail, ...entry }, 'audit'),
    };
  };
}

export const auditLineCodec = createCodec('audit-line', AuditEntry);

/** Returns the entry that a task's event adds to its account's audit trail, or undefined for events that decide nothing. */
export function auditEntryOf(
  before: Task | undefined,
  event: TaskEvent,
  after: Task,
): NewAuditEntry | undefined {
  if (isOfNote(event)) return noteEntry(event, after);
  const what = actOf(before, event, after);
  if (what === undefined) return undefined;
  const { rating, comment } = after;
  const wasRated = before !== undefined && before.rating !== rating;
  const line = {
    what,
    task: after.id,
    campaign: after.campaign,
    round: after.round,
    rating,
    ...(wasRated ? { before: before.rating } : {}),
  };
  if (event.type === 'assigned') return { ...line, ...assignedBy(event, before) };
  const decision = after.decision ?? before?.decision;
  if (what === 'rated elsewhere' || what === 'came back' || decision === undefined)
    return { ...line, how: 'elsewhere', comment };
  const favorite = decision.favorite ?? decision.unprovenFavorite;
  const answer = answerOf(what, event);
  return {
    ...line,
    ...actorOf(event, decision.by),
    verdict: decision.verdict,
    decision: decision.id,
    comment: decision.comment,
    ...(decision.bonus === undefined ? {} : { money: decision.bonus }),
    ...(favorite === undefined ? {} : { favorite }),
    ...(answer === undefined ? {} : { answer }),
  };
}

const noteActs = {
  'note-left': 'leave note',
  'note-changed': 'change note',
  'note-removed': 'remove note',
} as const;

function isOfNote(event: TaskEvent): event is NoteEvent {
  return Object.hasOwn(noteActs, event.type);
}

/** The text of a note stays out of the audit: it may be about a person, and must be gone once the note is removed. */
function noteEntry({ type, by, how }: NoteEvent, { id, campaign, round }: Task): NewAuditEntry {
  return { what: noteActs[type], by, how, task: id, campaign, round };
}

/** Returns who acted and how. A job acts on a decision in its author's name. */
function actorOf(
  event: TaskEvent,
  author: NonNullable<AuditEntry['by']>,
): Pick<AuditEntry, 'by' | 'how' | 'member'> {
  if (event.type === 'decided' && event.approvedBy !== undefined)
    return { by: event.approvedBy, member: author, how: event.how ?? 'approval' };
  if (event.type === 'decided') return { by: author, how: event.how ?? 'click' };
  if (event.type !== 'undone') return { by: author, how: 'job' };
  return {
    member: author,
    by: event.by.member,
    how: 'click',
  };
}

/** Returns who assigned or released a task, how, and its current or former assignee. */
function assignedBy(
  { by, how, to }: Extract<TaskEvent, { type: 'assigned' }>,
  before: Task | undefined,
): Pick<AuditEntry, 'by' | 'how' | 'member' | 'group'> {
  const whom = to ?? before?.assignment?.to;
  const isOwn = whom !== undefined && 'member' in whom && whom.member === by;
  const about = whom === undefined || isOwn ? {} : whom;
  return { how, ...(by === undefined ? {} : { by }), ...about };
}

function answerOf(what: AuditedAct, event: TaskEvent): string | undefined {
  if (event.type === 'refused') return event.problem.text;
  if (what !== 'applied') return undefined;
  return event.type === 'applied' && event.answered ? 'OK' : 'read back';
}

function actOf(before: Task | undefined, event: TaskEvent, after: Task): AuditedAct | undefined {
  switch (event.type) {
    case 'decided':
    case 'undone':
    case 'applied':
    case 'refused':
    case 'overtaken':
      return event.type;
    case 'assigned':
      if (event.to === undefined) return 'release';
      return 'member' in event.to && event.to.member === event.by ? 'take' : 'assign';
    case 'confirmed': {
      if (before === undefined) return undefined;
      if (after.round !== before.round) return 'came back';
      if (before.rating === after.rating) return undefined;
      const ended = after.decision?.state;
      return isPending(before) && (ended === 'applied' || ended === 'overtaken') ? ended : 'rated elsewhere';
    }
    default:
      return undefined;
  }
}

/** Returns the audit entry of a change of rights in an account, without its author; undefined if nobody's rights changed. */
export function rightsEntryOf(
  before: AccountRights,
  change: RightsChange,
): Omit<NewAuditEntry, 'by' | 'how' | 'account'> | undefined {
  const roleOf = (grantee: Grantee) => before.grants.find(({ to }) => isSameGrantee(to, grantee))?.role;
  switch (change.type) {
    case 'granted': {
      const { to, role } = change.grant;
      const had = roleOf(to);
      return {
        what: 'give role',
        ...aboutGrantee(to),
        ...(had === undefined ? {} : { before: had }),
        after: role,
      };
    }
    case 'withdrawn': {
      const had = roleOf(change.from);
      return {
        what: 'withdraw role',
        ...aboutGrantee(change.from),
        ...(had === undefined ? {} : { before: had }),
      };
    }
    case 'guests':
      return { what: change.allowed ? 'allow guests' : 'refuse guests' };
    case 'channel-confirmed':
      return { what: 'confirm shared channel', channel: change.channel };
    case 'channel-unconfirmed':
      return { what: 'withdraw shared channel', channel: change.channel };
    case 'channel-id-changed':
      return undefined;
  }
}

function aboutGrantee(to: Grantee): Pick<NewAuditEntry, 'member' | 'group' | 'channel'> {
  if (to.kind === 'member') return { member: to.id };
  return to.kind === 'group' ? { group: to.id } : { channel: to.id };
}
