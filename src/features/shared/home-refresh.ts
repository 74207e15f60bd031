import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import { createBatches } from '../../store/batches.ts';
import type { FeatureContext } from './context.ts';

/** A home tab that was not opened for this long (ms) is published when it is opened again, and not before. */
const openMs = 8 * 3_600_000;
/** How many home tabs are published because something changed for everybody: those that were opened last. */
const maxOfAll = 50;
/** A change that many make, such as a decision, is shown at most once in this time (ms). */
const othersMs = 60_000;
const ownMs = 5_000;
/** What a person does who looks at the tab is shown at once, and a little later when it comes in pairs (ms). */
const atOnceMs = 1_000;

/** What members do in this time is one request for all their tabs (ms). */
const collectMs = 100;

interface Own {
  readonly workspace: WorkspaceId;
  readonly member: MemberId;
}

export type HomeRefresh = ReturnType<typeof createHomeRefresh>;

/**
 * Creates what has home tabs that are open published again. Requests for the same tab become one; a job publishes those that are
 * due, as many as Slack allows (src/features/home/refresh.ts).
 */
export function createHomeRefresh({
  jobs,
  logger,
  now,
  openedHomes,
}: Pick<FeatureContext, 'jobs' | 'logger' | 'now' | 'openedHomes'>) {
  /** Queues the job that publishes what is due, for the moment when the first one is. */
  async function queue(workspace: WorkspaceId, first: number | undefined): Promise<void> {
    if (first === undefined) return;
    const second = Math.ceil(first / 1_000);
    const uniqueKey = `${workspace} ${second}`;
    await jobs.add('refresh-homes', { workspace }, { delayMs: second * 1_000 - now(), uniqueKey });
  }

  async function ofMembers(
    workspace: WorkspaceId,
    members: readonly MemberId[],
    at: number,
    spacingMs: number,
  ) {
    const request = { since: now() - openMs, now: now(), at, spacingMs };
    await queue(workspace, await openedHomes.request(workspace, request, { members }));
  }

  /** The items are of one workspace. */
  const ownRequests = createBatches(
    async (all: readonly [Own, ...Own[]]) => {
      const members = new Set(all.map(({ member }) => member));
      await ofMembers(all[0].workspace, [...members], now(), ownMs);
      return all.map(() => undefined);
    },
    { collectMs },
  );

  async function ofAll(workspace: WorkspaceId, spacingMs: number) {
    const request = { since: now() - openMs, now: now(), at: now(), spacingMs };
    await queue(workspace, await openedHomes.request(workspace, request, { limit: maxOfAll }));
  }

  return {
    /** For what somebody did elsewhere than in their home tab. Nobody waits for it. */
    own(workspace: WorkspaceId, member: MemberId): void {
      ownRequests(workspace, { workspace, member }).catch((error: unknown) =>
        logger.warn({ member, reason: messageOf(error) }, 'update of a home tab not queued'),
      );
    },

    /** For what a member comes back to, such as from a modal above the tab. */
    atOnce: (workspace: WorkspaceId, member: MemberId) => ofMembers(workspace, [member], now(), atOnceMs),

    /** For what will have changed at a moment (ms) that is known. */
    at: (workspace: WorkspaceId, member: MemberId, moment: number) =>
      ofMembers(workspace, [member], moment, ownMs),

    /** For what concerns everybody, and should be seen now. */
    all: (workspace: WorkspaceId) => ofAll(workspace, atOnceMs),

    /** For what others do all the time. */
    others: (workspace: WorkspaceId) => ofAll(workspace, othersMs),

    /** Queues the job again for what is due, which a process may have died over. */
    async resume(workspace: WorkspaceId): Promise<void> {
      await queue(workspace, await openedHomes.firstDue(workspace));
    },

    /** Queues the job for a later moment (ms): Slack allows no more for now. */
    later: (workspace: WorkspaceId, moment: number) => queue(workspace, moment),
  };
}
