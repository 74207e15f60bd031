import type { NewAuditEntry } from '../../domain/audit.ts';
import type { TaskEvent } from '../../domain/events.ts';
import type { GivenVerdict, SecondLook } from '../../domain/second-look/look.ts';
import type { Task } from '../../domain/task.ts';

/**
 * Returns the audit entry of an event that begins, continues or ends a second look; undefined for other events. None
 * contains the first decision until somebody has looked: a reader of the audit may be the one to look.
 */
export function lookEntryOf(
  before: Task | undefined,
  event: TaskEvent,
  after: Task,
): NewAuditEntry | undefined {
  const { id: task, campaign, round, rating } = after;
  const line = { task, campaign, round, rating };
  const was = before?.look;
  switch (event.type) {
    case 'decided': {
      const { decision, how = 'click' } = event;
      const begun = after.look;
      if (was === undefined)
        return begun && { what: 'hold for second look', by: decision.by, how, ...line, after: begun.why };
      const ended = after.decision?.look;
      const by = { by: decision.by, how, member: was.first.by };
      const own = { verdict: decision.verdict, comment: decision.comment, decision: decision.id };
      if (ended?.how === 'third')
        return {
          what: 'decide between two',
          ...line,
          ...by,
          ...own,
          before: verdictsText(was),
          ...paid(after),
        };
      // The first decider may not rate any more: this is a decision like any other.
      if (ended === undefined && begun === undefined) return undefined;
      return {
        what: 'second look',
        ...line,
        ...by,
        ...own,
        before: verdictText(was.first),
        ...outcome(after),
      };
    }
    case 'look-let-go': {
      if (was === undefined) return undefined;
      const { by, verdict, comment, bonus, id: decision } = was.first;
      const money = bonus === undefined ? {} : { money: bonus };
      const what = { what: 'let go', by, how: 'job', ...line } as const;
      return { ...what, verdict, decision, comment, before: verdictsText(was), ...money };
    }
    case 'undone': {
      const isOfLook = was !== undefined && was.first.id === event.decision && after.look === undefined;
      if (isOfLook)
        return {
          what: 'undone',
          how: event.by ? 'click' : 'job',
          ...line,
          member: was.first.by,
          ...byOf(event),
        };
      if (after.look === undefined) return undefined;
      return { what: 'undo second look', how: event.by ? 'click' : 'job', ...line, ...byOf(event) };
    }
    default:
      return undefined;
  }
}

function byOf({ by }: Extract<TaskEvent, { type: 'undone' }>): Pick<NewAuditEntry, 'by'> {
  return by === undefined ? {} : { by: by.member };
}

function paid({ decision }: Task): Pick<NewAuditEntry, 'money'> {
  return decision?.bonus === undefined ? {} : { money: decision.bonus };
}

function outcome({ decision }: Task): Pick<NewAuditEntry, 'after'> {
  return { after: decision?.look === undefined ? 'differs' : 'agrees' };
}

function verdictText({ by, verdict, bonus }: GivenVerdict): string {
  return `${verdict} by ${by}${bonus === undefined ? '' : ` with a bonus of ${bonus}`}`;
}

function verdictsText({ first, second }: SecondLook): string {
  return [first, ...(second ? [second] : [])].map(verdictText).join(', ');
}
