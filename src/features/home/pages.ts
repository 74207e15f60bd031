import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';

/** How long a member's pages are remembered (seconds). */
const rememberSeconds = 8 * 3_600;

/** A member's page of each list in the home tab, from 0. */
export interface Pages {
  readonly campaigns: number;
  readonly decisions: number;
}

/** Creates the memory of members' pages, so that a republished tab keeps its position. */
export function createPages({ jobs }: Modules) {
  // The suffix is that of a draft's name, by which a member's stored data are removed.
  const nameOf = (member: MemberId) => `home of ${member}`;

  async function of(workspace: WorkspaceId, member: MemberId): Promise<Pages> {
    const text = (await jobs.expiringTexts.get(workspace, nameOf(member))) ?? '';
    const [campaigns = 0, decisions = 0] = /^\d+ \d+$/.test(text) ? text.split(' ').map(Number) : [];
    return { campaigns, decisions };
  }

  return {
    of,

    /** @param value the page from the button */
    async turn(workspace: WorkspaceId, member: MemberId, list: keyof Pages, value: string): Promise<void> {
      const page = /^\d{1,6}$/.test(value) ? Number(value) : 0;
      const { campaigns, decisions }: Pages = { ...(await of(workspace, member)), [list]: page };
      await jobs.expiringTexts.put(workspace, nameOf(member), `${campaigns} ${decisions}`, rememberSeconds);
    },

    /** Returns to the first pages. */
    async reset(workspace: WorkspaceId, member: MemberId): Promise<void> {
      await jobs.expiringTexts.remove(workspace, nameOf(member));
    },
  };
}
