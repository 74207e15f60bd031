import type { AuditEntry, AuditedAct, NewAuditEntry } from '../../domain/audit.ts';
import type { NoteEvent, TaskEvent } from '../../domain/events.ts';
import { isPending, type Task } from '../../domain/task.ts';

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
