import { randomUUID } from 'node:crypto';
import type { NewAuditEntry, Trail } from '../../domain/audit.ts';
import { hasUnknownOutcome, isCallFailure, MarketplaceError } from '../../marketplace/index.ts';
import type { Actor } from '../../slack/feature.ts';
import type { AuditStep } from '../../store/audit/writer.ts';
import type { FeatureContext } from './context.ts';

type Parts = Pick<FeatureContext, 'audit' | 'logger'>;

/** What is known of an act only when it has ended, such as what the marketplace answered. */
export type ActEnd = Partial<
  Pick<NewAuditEntry, 'after' | 'answer' | 'before' | 'campaign' | 'money' | 'task'>
>;

/** Returns who did something and how, for an entry of the audit. */
export function doneBy({ member, how }: Pick<Actor, 'member' | 'how'>): Pick<NewAuditEntry, 'by' | 'how'> {
  return { by: member, how };
}

/**
 * Makes a change at the marketplace that the audit has from before it is sent: an entry that it is claimed, and another one
 * how it ended. When the process dies between the two, the audit says that its outcome is unknown. Throws what `send` throws.
 * @param entry what is done; an act that was claimed by a script already has its `act`
 * @param endOf what its result adds
 * @param store stores what is known here of the result, and the entry with it, in one step of Redis. Where it is absent,
 *   nothing is stored but the entry.
 */
export async function auditedAct<T>(
  parts: Parts,
  trail: Trail,
  entry: NewAuditEntry,
  send: () => Promise<T>,
  {
    endOf = () => ({}),
    store,
  }: {
    readonly endOf?: (result: T) => ActEnd;
    readonly store?: ((result: T, step: AuditStep) => Promise<unknown>) | undefined;
  } = {},
): Promise<T> {
  const act = entry.act ?? randomUUID();
  if (entry.act === undefined) await parts.audit.append(trail, { ...entry, act, stage: 'claimed' });
  const end = async (how: ActEnd & Pick<NewAuditEntry, 'stage'>) => {
    // What was done at the marketplace is shown even when it cannot be stored: the audit then says that it was claimed.
    await parts.audit.append(trail, { ...entry, act, ...how }).catch((error: unknown) => {
      parts.logger.warn({ err: error, act, what: entry.what }, 'end of an act not stored in the audit');
    });
  };
  const result = await send().catch(async (error: unknown) => {
    await end(failureOf(error));
    throw error;
  });
  const done = { stage: 'done', answer: 'OK', ...endOf(result) } as const;
  if (store === undefined) await end(done);
  else await store(result, parts.audit.writer.step(trail, { ...entry, act, ...done }));
  return result;
}

/** Returns how a failed call is told in the audit. */
export function failureOf(error: unknown): ActEnd & Pick<NewAuditEntry, 'stage'> {
  if (!isCallFailure(error)) return { stage: 'unknown' };
  const stage = hasUnknownOutcome(error) ? 'unknown' : 'failed';
  return { stage, answer: error instanceof MarketplaceError ? `${error.code}: ${error.text}` : error.kind };
}
