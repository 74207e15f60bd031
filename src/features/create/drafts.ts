import { z } from 'zod';
import type { MemberId, WorkspaceId } from '../../domain/terms.ts';
import { createCodec } from '../../store/codec.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, keptDraft } from './draft.ts';

/** A form may lie open over a break: what was typed is kept for a day from the last page. */
const keptSeconds = 24 * 3_600;

/** Longer than any two clicks can overtake each other. */
const drawnSeconds = 60;
const Drawn = z.object({ click: z.string(), hash: z.string() });
type Drawn = z.infer<typeof Drawn>;
const drawnCodec = createCodec('drawn-view', Drawn);

/** Campaigns that are being put together: too long for a modal to remember. */
export function createDrafts({ expiringTexts }: Pick<CreateDeps, 'expiringTexts'>) {
  const name = (id: string) => `new-campaign ${id}`;
  const drawnName = (viewId: string) => `drawn ${viewId}`;
  const lastOf = (member: MemberId) => `new-campaign of ${member}`;

  async function load(workspace: WorkspaceId, id: string): Promise<Draft | undefined> {
    const text = await expiringTexts.get(workspace, name(id));
    return text === undefined ? undefined : keptDraft.decode(text);
  }

  return {
    load,

    async save(workspace: WorkspaceId, draft: Draft): Promise<void> {
      await expiringTexts.put(workspace, name(draft.id), keptDraft.encode(draft), keptSeconds);
      // From the second page on it is worth going on with.
      if (draft.turn > 0) await expiringTexts.put(workspace, lastOf(draft.member), draft.id, keptSeconds);
    },

    /** Which click drew a view last, and the hash that it has since; undefined when none did. */
    async drawn(workspace: WorkspaceId, viewId: string): Promise<Drawn | undefined> {
      const text = await expiringTexts.get(workspace, drawnName(viewId));
      const decoded = drawnCodec.decode(text ?? '');
      return decoded.ok ? decoded.value : undefined;
    },

    async noteDrawn(workspace: WorkspaceId, viewId: string, drawn: Drawn): Promise<void> {
      await expiringTexts.put(workspace, drawnName(viewId), drawnCodec.encode(drawn), drawnSeconds);
    },

    /** What somebody began last and has not finished. */
    async unfinished(workspace: WorkspaceId, member: MemberId): Promise<Draft | undefined> {
      const id = await expiringTexts.get(workspace, lastOf(member));
      const last = id === undefined ? undefined : await load(workspace, id);
      return last?.step === 'done' ? undefined : last;
    },
  };
}
