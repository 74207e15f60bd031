import type { WorkspaceId } from '../../domain/terms.ts';
import type { Jobs } from '../../jobs/queue.ts';
import type { Modules } from '../../kit/modules.ts';
import type { Logger } from '../../logger.ts';
import type { Feature } from '../../slack/feature.ts';
import type { ListenerParts } from '../../slack/listeners.ts';
import type { Messenger } from '../../slack/messenger.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { Installation, Installations } from '../../store/installations.ts';
import type { WorkspaceData } from '../../store/retention.ts';

/**
 * Errors of auth.test that prove that the app was removed. `invalid_auth` does not: Slack also returns it to addresses that
 * the workspace does not allow.
 */
const proofs = new Set(['account_inactive', 'token_revoked']);

export const appRemoved =
  'The app was removed from the workspace, so everything that was stored of it is deleted. To use it again, install it, set its new token and restart.';

type Log = Pick<Logger, 'info' | 'warn'>;

/** Returns whether Slack refuses the token of a workspace or organization as that of a removed app. */
async function isRemoved(of: string, identity: () => Promise<unknown>, logger: Log): Promise<boolean> {
  try {
    await identity();
    return false;
  } catch (error) {
    if (!(error instanceof SlackError) || error.kind !== 'refused') throw error;
    if (!proofs.has(error.code))
      logger.warn({ workspace: of, code: error.code }, 'the app may have been removed, nothing is deleted');
    return proofs.has(error.code);
  }
}

interface Erasing {
  readonly data: Pick<WorkspaceData, 'erase'>;
  readonly jobs: Pick<Jobs, 'eraseWorkspace'>;
  readonly logger: Log;
}

/** Deletes the jobs and data of a workspace. Returns how much there was. @param isBack asked once more before the data go */
async function erase(
  workspace: WorkspaceId,
  { data, jobs, logger }: Erasing,
  isBack = async () => false,
): Promise<number> {
  const erasedJobs = await jobs.eraseWorkspace(workspace);
  if (await isBack()) return 1;
  const keys = await data.erase(workspace);
  const erased = { event: 'workspace-erased', workspace, keys, jobs: erasedJobs };
  logger.info(erased, 'data of the workspace deleted');
  return keys + erasedJobs;
}

/**
 * Creates the handling of the app's removal from its workspace: this process, and every other one, stops working for it and
 * deletes all of its data. An event alone deletes nothing: Slack must also refuse the token.
 * @param parts.retire stops all work for the workspace, whoever requested it; resolves when it has stopped
 */
export function createAppRemoval(
  parts: Erasing & {
    readonly workspace: WorkspaceId;
    readonly data: WorkspaceData;
    readonly identity: () => Promise<unknown>;
    readonly retire: () => Promise<void>;
    readonly now: () => number;
  },
) {
  const { workspace, data, logger } = parts;
  let erasing: Promise<void> | undefined;
  let isRetired = false;

  async function eraseRetired(): Promise<void> {
    isRetired = true;
    await parts.retire();
    await erase(workspace, parts);
  }

  /** Erases once at a time; retried after a failure. */
  function eraseOnce(): Promise<void> {
    erasing ??= eraseRetired().catch((error: unknown) => {
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
      if (erasing === undefined && !(await isRemoved(workspace, parts.identity, logger))) return;
      if (erasing === undefined) await data.recordRemoved(workspace, parts.now());
      await eraseOnce();
    },

    /** Looks whether another process was told: Slack tells only one of them. */
    async check(): Promise<void> {
      if (await data.isRemoved(workspace)) await eraseOnce();
    },
  };
}

/**
 * Creates the handling of the app's removal from some of several workspaces: their tokens and data are deleted, and those of
 * no other one. What a job still writes meanwhile is deleted by the next check, so that a workspace is forgotten only once
 * nothing of it was found.
 * @param parts.messengerWith returns what asks Slack with the token of an installation
 */
export function createWorkspaceRemovals(
  parts: Erasing & {
    readonly installations: Installations;
    readonly messengerWith: (installation: Installation) => Pick<Messenger, 'identity' | 'teams'>;
  },
): Pick<ReturnType<typeof createAppRemoval>, 'check' | 'isRetired'> & Pick<ListenerParts, 'onAppRemoved'> {
  const { installations, messengerWith } = parts;

  async function check(): Promise<void> {
    for (const workspace of (await installations.workspaces()).removed) {
      // It may be installed again at any moment.
      const isBack = async () => (await installations.of(workspace)) !== undefined;
      if (await isBack()) continue;
      if ((await erase(workspace, parts, isBack)) === 0) await installations.forget(workspace);
    }
  }

  return {
    check,
    isRetired: () => false,

    async onAppRemoved(workspaces, organization) {
      // The event does not say which of them was removed.
      for (const id of [...workspaces, ...(organization ? [organization] : [])]) {
        const found = await installations.get(id);
        if (found && (await isRemoved(id, messengerWith(found).identity, parts.logger)))
          await installations.remove(found, organization);
      }
      const ofAll = organization ? await installations.get(organization) : undefined;
      const left = ofAll ? await messengerWith(ofAll).teams() : workspaces;
      for (const workspace of workspaces)
        if (!left.includes(workspace)) await installations.withdraw(workspace, organization);
      await check();
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
