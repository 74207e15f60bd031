import { setTimeout as delay } from 'node:timers/promises';
import type { WorkspaceId } from '../../../domain/terms.ts';

/** How long to wait for the version of whoever was first: they store it at once. */
const pausesMs = [50, 150, 400, 900];

interface Versioned {
  readonly id: string;
  readonly version: number;
}

/**
 * Replaces a version from which something may be sent by the next one only once, for whoever comes first: what is sent
 * from one modal or process is neither sent nor taken back by another.
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
  /** Returns the draft for the case that nobody knows whether it was sent. */
  readonly unknown: (draft: D) => D;
}) {
  return {
    /**
     * Stores `to` in place of `from`. Where another was first, `isMine` is false and `draft` is theirs.
     * @param claim what claims it and stores `to`; when something is sent, with an entry of the audit
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
      // The stored name is that of earlier releases, so that two releases side by side exclude each other.
      if (await claim(`turn ${from.id} ${from.version}`)) return { draft: to, isMine: true };
      for (const pause of pausesMs) {
        const latest = await drafts.load(workspace, from.id);
        if (latest !== undefined && latest.version !== from.version) return { draft: latest, isMine: false };
        await delay(pause);
      }
      // Whoever was first ended before they stored anything, or hangs: they may have been about to send it.
      const draft = unknown(from);
      await drafts.save(workspace, draft);
      return { draft, isMine: false };
    },
  };
}
