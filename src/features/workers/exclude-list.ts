import { type AccountRef, type MemberId, ratings, type WorkerId } from '../../domain/terms.ts';
import type { Listing, WorkerRecord } from '../../domain/worker.ts';
import { auditedAct, callForEach, doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { MarketplaceError, TransportError } from '../../marketplace/index.ts';
import type { Actor } from '../../slack/feature.ts';
import type { AuditStep } from '../../store/audit.ts';
import { counted } from '../../ui/words.ts';
import type { ChangeResult } from './workers.view.ts';

type DoneBy = Pick<Actor, 'member' | 'how'>;

/**
 * Creates the changes to the employer's exclude list, and to its local mirror. Each worker is a separate call: the
 * marketplace answers only with a number, which would not tell which of several were changed.
 */
export function createExcludeList(modules: Modules) {
  const { audit, campaigns, marketplace, clock } = modules;
  /** Calls `POST employer/exclude_list`. The answer "no workers added" means either already listed or an unknown id. */
  async function exclude(ref: AccountRef, by: MemberId, id: WorkerId): Promise<Changed> {
    const listed = (listing: Listing) => (step: AuditStep) =>
      campaigns.workers.addExcluded(ref, id, listing, step);
    const client = await marketplace.of(ref);
    const result = await applyIdempotently('NO_WORKERS_ADDED', () => client.excludeWorkers([id]));
    if (result === 'changed') {
      return { outcome: 'done', store: listed({ by, at: clock.now() }) };
    }
    const [record] = await campaigns.workers.recordMany(ref, [id]);
    const known = await campaigns.workers.exclusion(ref, id);
    const isUnclear = result === 'unchanged after an unanswered call';
    if (known === undefined && !hasTasks(record))
      return { outcome: isUnclear ? 'unsure' : 'unknown', store: audit.add };
    // The unanswered call excluded them.
    if (isUnclear)
      return { outcome: 'done', store: known === undefined ? listed({ by, at: clock.now() }) : audit.add };
    // Excluded earlier, outside Slack.
    return { outcome: 'already', store: known === undefined ? listed({ at: clock.now() }) : audit.add };
  }

  /** Calls `DELETE employer/exclude_list`. */
  async function include(ref: AccountRef, id: WorkerId): Promise<Changed> {
    // The marketplace interprets this id as the whole list.
    if (id === 'all') return { outcome: 'already', store: audit.add };
    const client = await marketplace.of(ref);
    const result = await applyIdempotently('WORKERS_NOT_FOUND', () => client.unexcludeWorkers([id]));
    const store = (step: AuditStep) => campaigns.workers.removeExcluded(ref, id, step);
    return { outcome: result === 'unchanged' ? 'already' : 'done', store };
  }

  return {
    /** Changes several workers. Returns the outcome of each; a failed call does not stop the others. */
    async change(
      ref: AccountRef,
      actor: DoneBy,
      change: 'exclude' | 'include',
      ids: readonly WorkerId[],
      onProgress?: (done: number) => void,
    ): Promise<ChangeResult> {
      const outcomes: Record<Outcome, string[]> = { done: [], already: [], unknown: [], unsure: [] };
      const changeOne = async (id: WorkerId) => {
        const entry = { what: `${change} worker`, worker: id, ...doneBy(actor) } as const;
        const send = () => (change === 'exclude' ? exclude(ref, actor.member, id) : include(ref, id));
        const { outcome } = await auditedAct(modules, ref, entry, send, {
          endOf: (changed) => ({ answer: answers[changed.outcome] }),
          store: (changed, step) => changed.store(step),
        });
        outcomes[outcome].push(id);
      };
      const failed = await callForEach(ids, changeOne, onProgress);
      return {
        change,
        ...outcomes,
        unsure: [...outcomes.unsure, ...failed.filter(({ isUnsure }) => isUnsure).map(({ of }) => of)],
        failed: failed.filter(({ isUnsure }) => !isUnsure).map(({ of, sentence }) => ({ id: of, sentence })),
      };
    },

    /** Clears the list. Returns the number of removed workers; undefined if the marketplace does not say. */
    async clear(ref: AccountRef, actor: DoneBy): Promise<number | undefined> {
      const client = await marketplace.of(ref);
      let count: number | undefined = 0;
      const entry = { what: 'clear exclude list', ...doneBy(actor) } as const;
      const clearing = () =>
        applyIdempotently('WORKERS_NOT_FOUND', async () => {
          count = (await client.unexcludeWorkers('all')).count;
        });
      const result = await auditedAct(modules, ref, entry, clearing, {
        endOf: () => (count === undefined ? {} : { before: counted(count, 'worker') }),
        store: (_, step) => campaigns.workers.clearExcluded(ref, step),
      });
      return result === 'unchanged after an unanswered call' ? undefined : count;
    },
  };
}

/**
 * `already`: nothing had to be changed · `unknown`: the marketplace added nobody, and the id is unknown here · `unsure`: the
 * same, but after an unanswered call that may have added them.
 */
type Outcome = 'done' | 'already' | 'unknown' | 'unsure';

interface Changed {
  readonly outcome: Outcome;
  /** Changes the mirror, and adds the audit entry in the same Redis step. */
  readonly store: (step: AuditStep) => Promise<void>;
}

/** Outcomes, for the audit. */
const answers: Readonly<Record<Outcome, string>> = {
  done: 'OK',
  already: 'nothing had to be changed',
  unknown: 'the marketplace changed nothing: nobody of this id is known',
  unsure: 'no clear answer',
};

/**
 * Makes an idempotent change; retries once if the outcome is unknown.
 * @param unchangedCode the marketplace's error for "nothing to change"
 */
async function applyIdempotently(
  unchangedCode: string,
  call: () => Promise<unknown>,
): Promise<'changed' | 'unchanged' | 'unchanged after an unanswered call'> {
  let unanswered: TransportError | undefined;
  for (;;) {
    try {
      await call();
      return 'changed';
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === unchangedCode) {
        return unanswered === undefined ? 'unchanged' : 'unchanged after an unanswered call';
      }
      // Whatever the second outcome, the first call may have been applied.
      if (unanswered !== undefined) throw unanswered;
      if (!(error instanceof TransportError && error.mayHaveBeenApplied)) throw error;
      unanswered = error;
    }
  }
}

function hasTasks(record: WorkerRecord | undefined): boolean {
  return record !== undefined && ratings.some((rating) => record.counts[rating] > 0);
}
