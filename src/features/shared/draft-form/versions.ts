import { setTimeout as delay } from 'node:timers/promises';
import type { WorkspaceId } from '../../../domain/terms.ts';

/** Delays while waiting for the winner's version, which is stored right away (ms). */
const pausesMs = [50, 150, 400, 900];

interface Versioned {
  readonly id: string;
  readonly version: number;
}

/**
 * Creates compare-and-set for draft versions: each version that may lead to sending has one successor. What one modal or
 * process sends, no other sends or takes back.
 */
export function createDraftVersions<D extends Versioned>({
  claimOnce,
  drafts,
  unknown,
}: {
  readonly claimOnce: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  readonly drafts: {
    load(workspace: WorkspaceId, id: string): Promise<D | undefined>;
    save(workspace: WorkspaceId, draft: D): Promise<unknown>;
  };
  /** Returns the draft in its `unknown` state. */
  readonly unknown: (draft: D) => D;
}) {
  return {
    /**
     * Replaces `from` by `to`. If another process was first, `isMine` is false and `draft` is theirs.
     * @param claim claims `from` and stores `to`; when something is sent, with an audit entry
     */
    async advance(
      workspace: WorkspaceId,
      from: D,
      to: D,
      claim = async (name: string) => {
        if (!(await claimOnce(workspace, name))) return false;
        await drafts.save(workspace, to);
        return true;
      },
    ): Promise<{ readonly draft: D; readonly isMine: boolean }> {
      // This name matches earlier releases, so that two releases running side by side exclude each other.
      if (await claim(`turn ${from.id} ${from.version}`)) return { draft: to, isMine: true };
      for (const pause of pausesMs) {
        const latest = await drafts.load(workspace, from.id);
        if (latest !== undefined && latest.version !== from.version) return { draft: latest, isMine: false };
        await delay(pause);
      }
      // The winner died before storing anything, or hangs; it may have been about to send.
      const draft = unknown(from);
      await drafts.save(workspace, draft);
      return { draft, isMine: false };
    },
  };
}
