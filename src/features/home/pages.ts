import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import type { FeatureContext } from '../shared/context.ts';

/** How long it is remembered which pages a member looks at. */
const rememberSeconds = 8 * 3_600;

/** Which page of each list in the home tab a member looks at, from 0. */
export interface Pages {
  readonly campaigns: number;
  readonly decisions: number;
}

/** Creates what remembers the pages that members look at, so that a tab that is published again stays where it was. */
export function createPages({ expiringTexts }: Pick<FeatureContext, 'expiringTexts'>) {
  // The name ends as that of a draft does: what is stored of a member is removed by it.
  const nameOf = (member: MemberId) => `home of ${member}`;

  async function of(workspace: WorkspaceId, member: MemberId): Promise<Pages> {
    const text = (await expiringTexts.get(workspace, nameOf(member))) ?? '';
    const [campaigns = 0, decisions = 0] = /^\d+ \d+$/.test(text) ? text.split(' ').map(Number) : [];
    return { campaigns, decisions };
  }

  return {
    of,

    /** @param value the page, as its button says */
    async turn(workspace: WorkspaceId, member: MemberId, list: keyof Pages, value: string): Promise<void> {
      const page = /^\d{1,6}$/.test(value) ? Number(value) : 0;
      const { campaigns, decisions }: Pages = { ...(await of(workspace, member)), [list]: page };
      await expiringTexts.put(workspace, nameOf(member), `${campaigns} ${decisions}`, rememberSeconds);
    },

    /** Goes back to the first pages. */
    async reset(workspace: WorkspaceId, member: MemberId): Promise<void> {
      await expiringTexts.remove(workspace, nameOf(member));
    },
  };
}
