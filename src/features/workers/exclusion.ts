import { chunksOf } from '../../domain/group.ts';
import { type AccountRef, type MemberId, ratings, type WorkerId } from '../../domain/terms.ts';
import type { WorkerRecord } from '../../domain/worker.ts';
import {
  isCallFailure,
  isUnsure,
  type MarketplaceClient,
  MarketplaceError,
  TransportError,
} from '../../marketplace/index.ts';
import type { Workers } from '../../store/workers.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import type { Changed } from './changes.view.ts';

/** Workers that are changed at the same time. */
const atOnce = 4;

export interface ExclusionDeps {
  readonly workers: Workers;
  readonly marketplaceOf: (ref: AccountRef) => Promise<MarketplaceClient>;
  readonly now: () => number;
}

/**
 * Changes the employer's exclude list, and the mirror of it that is kept here. Each worker is a call of their own: the
 * marketplace answers a call with a number only, which would not tell who of several was meant.
 */
export function createExclusion({ workers, marketplaceOf, now }: ExclusionDeps) {
  /** `POST employer/exclude_list`. "No workers were added" is said of those who are on it already and of unknown ids. */
  async function exclude(ref: AccountRef, by: MemberId, id: WorkerId): Promise<Change> {
    const marketplace = await marketplaceOf(ref);
    const refused = await tried('NO_WORKERS_ADDED', () => marketplace.excludeWorkers([id]));
    if (refused === 'no') {
      await workers.addExcluded(ref, id, { by, at: now() });
      return 'done';
    }
    const [record] = await workers.recordMany(ref, [id]);
    const known = await workers.exclusion(ref, id);
    const isKnown = known !== undefined || hasTasks(record);
    if (refused === 'after an unsure call') {
      // Excluded by the call that was not answered. Of an id that nobody knows here this is likely, and the list must
      // hold it: whoever is missing there cannot be taken off in Slack.
      if (known === undefined) await workers.addExcluded(ref, id, { by, at: now() });
      return isKnown ? 'done' : 'presumed';
    }
    if (!isKnown) return 'unknown';
    // Excluded long ago by somebody else.
    if (known === undefined) await workers.addExcluded(ref, id, { at: now() });
    return 'already';
  }

  /** `DELETE employer/exclude_list`. */
  async function include(ref: AccountRef, id: WorkerId): Promise<Change> {
    // To the marketplace this is no id, but the whole list.
    if (id === 'all') return 'already';
    const marketplace = await marketplaceOf(ref);
    const refused = await tried('WORKERS_NOT_FOUND', () => marketplace.unexcludeWorkers([id]));
    await workers.removeExcluded(ref, id);
    return refused === 'yes' ? 'already' : 'done';
  }

  return {
    /** Changes several workers. Gives what became of each; a call that failed stops none of the others. */
    async change(
      ref: AccountRef,
      by: MemberId,
      change: 'exclude' | 'include',
      ids: readonly WorkerId[],
      reached: (done: number) => void = () => undefined,
    ): Promise<Changed> {
      const ended: Record<Change | 'unsure', string[]> = {
        done: [],
        already: [],
        unknown: [],
        presumed: [],
        unsure: [],
      };
      const failed: { id: string; sentence: string }[] = [];
      let done = 0;
      for (const group of chunksOf(ids, atOnce)) {
        await Promise.all(
          group.map(async (id) => {
            try {
              ended[await (change === 'exclude' ? exclude(ref, by, id) : include(ref, id))].push(id);
            } catch (error) {
              if (!isCallFailure(error)) throw error;
              if (isUnsure(error)) ended.unsure.push(id);
              else failed.push({ id, sentence: marketplaceErrorText(error) });
            }
          }),
        );
        done += group.length;
        reached(done);
      }
      return { change, ...ended, failed };
    },

    /** Clears the list. Gives how many the marketplace took off; undefined when it does not say. */
    async includeAll(ref: AccountRef): Promise<number | undefined> {
      const marketplace = await marketplaceOf(ref);
      let count: number | undefined = 0;
      const refused = await tried('WORKERS_NOT_FOUND', async () => {
        count = (await marketplace.unexcludeWorkers('all')).count;
      });
      await workers.clearExcluded(ref);
      return refused === 'after an unsure call' ? undefined : count;
    },
  };
}

/**
 * `already`: it was so before · `unknown`: the marketplace took nobody, and nobody of this id is known here ·
 * `presumed`: that too, but a call before it was not answered, and may have taken them.
 */
type Change = 'done' | 'already' | 'unknown' | 'presumed';

/**
 * Makes a change that does no harm when made twice: a call whose end is not known is made once more. Gives whether it
 * was refused with the code that stands for "nothing to change".
 */
async function tried(
  nothingToChange: string,
  call: () => Promise<unknown>,
): Promise<'no' | 'yes' | 'after an unsure call'> {
  let unanswered: TransportError | undefined;
  for (;;) {
    try {
      await call();
      return 'no';
    } catch (error) {
      if (error instanceof MarketplaceError && error.code === nothingToChange) {
        return unanswered === undefined ? 'yes' : 'after an unsure call';
      }
      // However the second call ended, the first one may have made the change.
      if (unanswered !== undefined) throw unanswered;
      if (!(error instanceof TransportError && error.mayHaveBeenApplied)) throw error;
      unanswered = error;
    }
  }
}

function hasTasks(record: WorkerRecord | undefined): boolean {
  return record !== undefined && ratings.some((rating) => record.counts[rating] > 0);
}
