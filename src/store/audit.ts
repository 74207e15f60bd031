import type { Redis } from 'ioredis';
import type { TaskEvent } from '../domain/events.ts';
import { isPending, type Task } from '../domain/task.ts';
import type { AccountRef, CampaignId, MemberId, Rating, TaskId, Verdict } from '../domain/terms.ts';
import { accountKey } from './keys.ts';

/** A line of the trail. `by` and `verdict` are absent from what was done elsewhere. */
export interface AuditLine {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly task: TaskId;
  readonly campaign: CampaignId;
  readonly round: number;
  readonly what: AuditedEvent;
  readonly rating: Rating;
  readonly comment: string;
  readonly by?: MemberId;
  readonly verdict?: Verdict;
}

type AuditedEvent =
  | 'decided'
  | 'undone'
  | 'applied'
  | 'refused'
  | 'overtaken'
  | 'came back'
  | 'rated elsewhere';

/** So many lines are read at once. */
const portion = 1_000;

export type Audit = ReturnType<typeof createAudit>;

/** Reads the audit trails. */
export function createAudit(redis: Redis) {
  return {
    /** Every line of an account's trail, the oldest first, a portion in memory at a time. */
    async *lines(ref: AccountRef): AsyncGenerator<AuditLine> {
      let from = '-';
      for (;;) {
        const read = await redis.xrange(accountKey(ref, 'audit'), from, '+', 'COUNT', portion);
        for (const [, fields] of read) yield JSON.parse(fields[1] ?? '') as AuditLine;
        const last = read.at(-1)?.[0];
        if (last === undefined || read.length < portion) return;
        from = `(${last}`;
      }
    },
  };
}

/**
 * The line an event leaves in its account's audit trail (a Redis stream that is only ever added to), as JSON, or
 * undefined for events that decide nothing.
 */
export function auditEntry(before: Task | undefined, event: TaskEvent, after: Task): string | undefined {
  const what = auditedAs(before, event, after);
  if (what === undefined) return undefined;
  const { rating, comment } = after;
  const line = { at: Date.now(), task: after.id, campaign: after.campaign, round: after.round, what, rating };
  const decision = after.decision ?? before?.decision;
  return what === 'rated elsewhere' || what === 'came back' || decision === undefined
    ? JSON.stringify({ ...line, comment })
    : JSON.stringify({
        ...line,
        by: decision.by,
        verdict: decision.verdict,
        comment: decision.comment,
      });
}

function auditedAs(before: Task | undefined, event: TaskEvent, after: Task): AuditedEvent | undefined {
  switch (event.type) {
    case 'decided':
    case 'undone':
    case 'applied':
    case 'refused':
    case 'overtaken':
      return event.type;
    case 'seen': {
      if (before === undefined || before.rating === after.rating) return undefined;
      if (after.round !== before.round) return 'came back';
      const ended = after.decision?.state;
      return isPending(before) && (ended === 'applied' || ended === 'overtaken') ? ended : 'rated elsewhere';
    }
    default:
      return undefined;
  }
}
