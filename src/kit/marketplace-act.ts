import { randomUUID } from 'node:crypto';
import type { NewAuditEntry, Trail } from '../domain/audit.ts';
import { sentenceFor } from '../marketplace/errors.ts';
import {
  type CallFailure,
  hasUnknownOutcome,
  isCallFailure,
  MarketplaceError,
} from '../marketplace/index.ts';
import type { Actor } from '../slack/feature.ts';
import { date, escaped } from '../slack/mrkdwn.ts';
import type { AuditStep } from '../store/audit.ts';
import type { Modules } from './modules.ts';

/** Audit fields known only after an act has ended, such as the marketplace's answer. */
export type ActEnd = Partial<
  Pick<NewAuditEntry, 'after' | 'answer' | 'before' | 'campaign' | 'money' | 'task'>
>;

export function doneBy({ member, how }: Pick<Actor, 'member' | 'how'>): Pick<NewAuditEntry, 'by' | 'how'> {
  return { by: member, how };
}

/**
 * Makes a change at the marketplace with two audit entries: a claim written before sending, and the outcome afterwards.
 * If the process dies in between, the audit shows the outcome as unknown. Throws what `send` throws.
 * @param entry what is done; an act already claimed by a script has its `act`
 * @param endOf what the result adds to the entry
 * @param store stores the result together with the entry in one Redis step. If absent, only the entry is stored.
 */
export async function auditedAct<T>(
  parts: Modules,
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
    // A change made at the marketplace is reported even if it cannot be stored: the audit still has the claim.
    await parts.audit.append(trail, { ...entry, act, ...how }).catch((error: unknown) => {
      parts.log.warn({ err: error, act, what: entry.what }, 'end of an act not stored in the audit');
    });
  };
  const result = await send().catch(async (error: unknown) => {
    await end(failureOf(error));
    throw error;
  });
  const done = { stage: 'done', answer: 'OK', ...endOf(result) } as const;
  if (store === undefined) await end(done);
  else await store(result, parts.audit.step(trail, { ...entry, act, ...done }));
  return result;
}

export function failureOf(error: unknown): ActEnd & Pick<NewAuditEntry, 'stage'> {
  if (!isCallFailure(error)) return { stage: 'unknown' };
  const stage = hasUnknownOutcome(error) ? 'unknown' : 'failed';
  return { stage, answer: error instanceof MarketplaceError ? `${error.code}: ${error.text}` : error.kind };
}

/**
 * Returns the user-facing text of a failed marketplace call in mrkdwn: times in the reader's zone, the marketplace's own
 * words escaped.
 */
export function marketplaceErrorText(error: CallFailure): string {
  return sentenceFor(error, date, escaped);
}

/**
 * Returns {@link marketplaceErrorText} for anything caught.
 * @throws the error itself when it is not a failed marketplace call
 */
export function caughtMarketplaceErrorText(error: unknown): string {
  if (!isCallFailure(error)) throw error;
  return marketplaceErrorText(error);
}
