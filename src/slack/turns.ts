import { setTimeout as delay } from 'node:timers/promises';
import type { WorkspaceId } from '../domain/terms.ts';

/** How long is waited for what another has made of a turn: they keep it at once. */
const pausesMs = [50, 150, 400, 900];

/** What somebody puts together in a modal. Its turn goes up with each page. */
interface Turned {
  readonly id: string;
  readonly turn: number;
}

export interface Left<Draft> {
  /** What is kept now. */
  readonly draft: Draft;
  /** False: another was first, and the draft is theirs. */
  readonly isMine: boolean;
}

/**
 * Turns from which something may be sent are left once, by whoever comes first: what is sent in one modal or process
 * is then not sent in another, nor taken back to the form.
 */
export function createTurns<Draft extends Turned>({
  once,
  drafts,
  unknown,
}: {
  /** True the first time a name is given, whichever process asks. */
  readonly once: (workspace: WorkspaceId, name: string) => Promise<boolean>;
  readonly drafts: {
    load(workspace: WorkspaceId, id: string): Promise<Draft | undefined>;
    save(workspace: WorkspaceId, draft: Draft): Promise<unknown>;
  };
  /** The draft when nobody knows any more whether it was sent. */
  readonly unknown: (draft: Draft) => Draft;
}) {
  return {
    /** Keeps `to` in place of `from`, unless another has left this turn before. */
    async leave(workspace: WorkspaceId, from: Draft, to: Draft): Promise<Left<Draft>> {
      if (await once(workspace, `turn ${from.id} ${from.turn}`)) {
        await drafts.save(workspace, to);
        return { draft: to, isMine: true };
      }
      for (const pause of pausesMs) {
        const latest = await drafts.load(workspace, from.id);
        if (latest !== undefined && latest.turn !== from.turn) return { draft: latest, isMine: false };
        await delay(pause);
      }
      // Whoever was first ended before they kept anything, or stands still: they may have been about to send it.
      const draft = unknown(from);
      await drafts.save(workspace, draft);
      return { draft, isMine: false };
    },
  };
}
