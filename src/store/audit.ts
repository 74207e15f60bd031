import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { TaskEvent } from '../domain/events.ts';
import { isPending, type Task } from '../domain/task.ts';
import { type AccountRef, CampaignId, MemberId, ratings, TaskId, verdicts } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { accountKey } from './keys.ts';
import { type ErrorLogger, setAside } from './unreadable.ts';

const AuditedEvent = z.enum([
  'decided',
  'undone',
  'applied',
  'refused',
  'overtaken',
  'came back',
  'rated elsewhere',
  'recovered',
]);
type AuditedEvent = z.infer<typeof AuditedEvent>;

/** A line of the trail. `by` and `verdict` are absent for what was done outside of Slack. */
const AuditLine = z
  .object({
    /** Milliseconds since 1970. */
    at: z.number(),
    task: TaskId,
    campaign: CampaignId,
    round: z.number(),
    what: AuditedEvent,
    rating: z.enum(ratings),
    comment: z.string(),
    by: MemberId.exactOptional(),
    verdict: z.enum(verdicts).exactOptional(),
    /** The decision's id; absent in lines of version 0.1. */
    decision: z.string().exactOptional(),
  })
  .readonly();
export type AuditLine = z.infer<typeof AuditLine>;

export const auditLineCodec = createCodec('audit-line', AuditLine);

/** How many lines are read at once. */
const readAtOnce = 1_000;

export type Audit = ReturnType<typeof createAudit>;

/** Creates the reader of audit trails. */
export function createAudit(redis: Redis, logger?: ErrorLogger) {
  return {
    /** Yields every line of an account's trail, the oldest first, with one batch in memory at a time. */
    async *lines(ref: AccountRef): AsyncGenerator<AuditLine> {
      let from = '-';
      for (;;) {
        const key = accountKey(ref, 'audit');
        const read = await redis.xrange(key, from, '+', 'COUNT', readAtOnce);
        for (const [id, [, text = '']] of read) {
          const decoded = auditLineCodec.decode(text);
          if (decoded.ok) yield decoded.value;
          // Nothing is ever removed from the trail: only a copy is set aside.
          else
            await setAside(redis, logger, {
              kind: auditLineCodec.name,
              key,
              field: id,
              reason: decoded.reason,
              text,
            });
        }
        const last = read.at(-1)?.[0];
        if (last === undefined || read.length < readAtOnce) return;
        from = `(${last}`;
      }
    },
  };
}

/**
 * Returns the line that an event adds to its account's audit trail (an append-only Redis stream), as JSON, or undefined for
 * events that decide nothing.
 */
export function auditEntry(
  before: Task | undefined,
  event: TaskEvent,
  after: Task,
  at: number,
): string | undefined {
  const what = auditedAs(before, event, after);
  if (what === undefined) return undefined;
  const { rating, comment } = after;
  const line = { at, task: after.id, campaign: after.campaign, round: after.round, what, rating };
  const decision = after.decision ?? before?.decision;
  return what === 'rated elsewhere' || what === 'came back' || decision === undefined
    ? auditLineCodec.encode({ ...line, comment })
    : auditLineCodec.encode({
        ...line,
        by: decision.by,
        verdict: decision.verdict,
        decision: decision.id,
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
    case 'restored':
      return 'recovered';
    case 'confirmed': {
      if (before === undefined) return undefined;
      if (after.round !== before.round) return 'came back';
      if (before.rating === after.rating) return undefined;
      if (before.mayHaveLostDecision && after.decision === undefined) return 'recovered';
      const ended = after.decision?.state;
      return isPending(before) && (ended === 'applied' || ended === 'overtaken') ? ended : 'rated elsewhere';
    }
    default:
      return undefined;
  }
}
