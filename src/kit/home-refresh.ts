import type { MemberId, WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import type { Jobs } from '../jobs/queue.ts';
import type { Logger } from '../logger.ts';
import type { OpenedHomes } from '../store/homes.ts';

/** A home tab not opened for this long (ms) is republished only when opened again. */
const openMs = 8 * 3_600_000;
/** Maximum number of home tabs republished for a change that affects everybody: those opened last. */
const maxOfAll = 50;
/** Minimum interval for changes that many people make, such as decisions (ms). */
const othersMs = 60_000;
const ownMs = 5_000;
/**
 * Minimum interval for changes by the person looking at the tab (ms): the first shows immediately, a second one shortly
 * after.
 */
const atOnceMs = 1_000;

/**
 * Creates the republishing of open home tabs. Requests for the same tab are merged; a job publishes the due ones at the
 * rate that Slack allows (src/features/home/index.ts).
 */
export function createHomeRefresh({
  jobs,
  logger,
  now,
  openedHomes,
}: {
  readonly jobs: Jobs;
  readonly logger: Logger;
  readonly now: () => number;
  readonly openedHomes: OpenedHomes;
}) {
  /** Queues the publishing job for the time of the first due tab. */
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
    const request = { since: now() - openMs, at, spacingMs };
    await queue(workspace, await openedHomes.request(workspace, request, { members }));
  }

  async function ofAll(workspace: WorkspaceId, spacingMs: number) {
    const request = { since: now() - openMs, at: now(), spacingMs };
    await queue(workspace, await openedHomes.request(workspace, request, { limit: maxOfAll }));
  }

  return {
    /** After a member acted outside their home tab. Fire-and-forget. */
    own(workspace: WorkspaceId, member: MemberId): void {
      ofMembers(workspace, [member], now(), ownMs).catch((error: unknown) =>
        logger.warn({ member, reason: messageOf(error) }, 'update of a home tab not queued'),
      );
    },

    /** When a member returns to the tab, for example from a modal above it. */
    atOnce: (workspace: WorkspaceId, member: MemberId) => ofMembers(workspace, [member], now(), atOnceMs),

    /** For a change at a known time (ms). */
    at: (workspace: WorkspaceId, member: MemberId, moment: number) =>
      ofMembers(workspace, [member], moment, ownMs),

    /** For changes that affect everybody and are urgent. */
    all: (workspace: WorkspaceId) => ofAll(workspace, atOnceMs),

    /** For frequent changes by others. */
    others: (workspace: WorkspaceId) => ofAll(workspace, othersMs),

    /** Requeues the job for due tabs, in case a process died before publishing them. */
    async resume(workspace: WorkspaceId): Promise<void> {
      await queue(workspace, await openedHomes.firstDue(workspace));
    },

    /** Queues the job for a later time (ms), when Slack's limit allows it. */
    later: (workspace: WorkspaceId, moment: number) => queue(workspace, moment),
  };
}
