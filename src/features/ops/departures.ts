import type { WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Logger } from '../../logger.ts';
import type { Feature } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { WorkspaceData } from '../../store/retention.ts';

/**
 * Errors of auth.test that prove that the app was removed. `invalid_auth` does not: Slack also returns it to addresses that
 * the workspace does not allow.
 */
const proofs = new Set(['account_inactive', 'token_revoked']);

export const appRemoved =
  'The app was removed from the workspace, so everything that was stored of it is deleted. To use it again, install it, set its new token and restart.';

/**
 * Creates the handling of the app's removal from its workspace: this process, and every other one, stops working for it and
 * deletes all of its data. An event alone deletes nothing: Slack must also refuse the token.
 * @param parts.retire stops all work for the workspace, whoever requested it; resolves when it has stopped
 */
export function createAppRemoval(parts: {
  readonly workspace: WorkspaceId;
  readonly data: WorkspaceData;
  readonly jobs: Pick<Jobs, 'eraseWorkspace'>;
  readonly identity: () => Promise<unknown>;
  readonly retire: () => Promise<void>;
  readonly now: () => number;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}) {
  const { workspace, data, jobs, logger } = parts;
  let erasing: Promise<void> | undefined;
  let isRetired = false;

  async function isRemoved(): Promise<boolean> {
    try {
      await parts.identity();
      return false;
    } catch (error) {
      if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
      if (!proofs.has(error.code))
        logger.warn({ workspace, code: error.code }, 'the app may have been removed, nothing is deleted');
      return proofs.has(error.code);
    }
  }

  async function erase(): Promise<void> {
    isRetired = true;
    await parts.retire();
    const erasedJobs = await jobs.eraseWorkspace(workspace);
    const keys = await data.erase(workspace);
    logger.info(
      { event: 'workspace-erased', workspace, keys, jobs: erasedJobs },
      'data of the workspace deleted',
    );
  }

  /** Erases once at a time; retried after a failure. */
  function eraseOnce(): Promise<void> {
    erasing ??= erase().catch((error: unknown) => {
      erasing = undefined;
      throw error;
    });
    return erasing;
  }

  return {
    /** Whether nothing is done for the workspace any more. */
    isRetired: () => isRetired,

    /** Handles Slack's event that the app was removed. Rejects while that cannot be confirmed. */
    async onAppRemoved(): Promise<void> {
      if (erasing === undefined && !(await isRemoved())) return;
      if (erasing === undefined) await data.recordRemoved(workspace, parts.now());
      await eraseOnce();
    },

    /** Looks whether another process was told: Slack tells only one of them. */
    async check(): Promise<void> {
      if (await data.isRemoved(workspace)) await eraseOnce();
    },
  };
}

/** Creates the handling of deactivated members: their personal data are deleted at once. */
export function createDepartures({ slack, log, people, tasks }: Modules): Feature {
  return {
    async memberChanged({ workspace, member, isDeactivated }) {
      if (!isDeactivated) return;
      const erased = await people.data.erase(workspace, member);
      const gone = await tasks.notes.eraseOf(workspace, member);
      for (const { ref, task } of gone) await slack.cards.changed(ref, await tasks.getMany(ref, [task]));
      log.info(
        { event: 'member-erased', workspace, member, ...erased, notes: gone.length },
        'data of a deactivated member deleted',
      );
    },
  };
}
