import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { AccountRef } from '../../domain/terms.ts';
import { SlackFailure } from '../../slack/failure.ts';
import type { Actor, Click, OpenView } from '../../slack/feature.ts';
import { createCatalogues } from './catalogue.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, newDraft, pageState } from './draft.ts';
import { createDrafts } from './drafts.ts';
import { closedMessage, draftView, needsCatalogue } from './outcome.view.ts';

/** How long another click's drawing is waited for. */
const pausesMs = [50, 150, 400];

export type Person = Pick<Actor, 'workspace' | 'member'>;
export type Pages = ReturnType<typeof createPages>;

/** The pages of the form as people have them open: read, kept, and drawn anew. */
export function createPages(deps: CreateDeps) {
  const { accounts, messengerOf, logger } = deps;
  const drafts = createDrafts(deps);
  const catalogues = createCatalogues(deps);

  async function viewOf(ref: AccountRef, draft: Draft): Promise<ModalView> {
    return draftView(draft, needsCatalogue(draft) ? await catalogues.at(ref) : []);
  }

  /** The draft of an open page. Without one, what the page itself holds is all there is. */
  async function current({ workspace, member }: Person, { state }: Pick<OpenView, 'state'>) {
    const { draft: id, turn } = pageState.decode(state);
    const ref = await accounts.require(workspace, member);
    const kept = await drafts.load(workspace, id);
    const draft = kept ?? { ...newDraft(id, { member, account: ref.account }), turn };
    return { ref, draft, isLost: kept === undefined, isOld: draft.turn !== turn };
  }

  async function kept(ref: AccountRef, draft: Draft): Promise<Draft> {
    await drafts.save(ref.workspace, draft);
    return draft;
  }

  /** Draws an open modal anew. Gives its new hash, or Slack's code when it was closed or has changed meanwhile. */
  async function draw(ref: AccountRef, viewId: string, draft: Draft, hash?: string) {
    const view = await viewOf(ref, draft);
    try {
      return { hash: await messengerOf(ref.workspace).updateModal(viewId, view, hash) };
    } catch (error) {
      if (!(error instanceof SlackFailure)) throw error;
      logger.info({ code: error.code }, 'the form for a new campaign could not be drawn');
      return { code: error.code };
    }
  }

  /**
   * Draws a page anew after a click in it. Clicks may overtake each other, and people go on to the next page: only what
   * an earlier click has drawn is replaced, never what a later one or another page shows.
   */
  async function redraw(ref: AccountRef, { id: click }: Click, view: OpenView, draft: Draft): Promise<void> {
    let hash = view.hash;
    for (const pause of pausesMs) {
      const drawn = await draw(ref, view.id, draft, hash);
      if (drawn.hash !== undefined)
        await drafts.noteDrawn(ref.workspace, view.id, { click, hash: drawn.hash });
      if (drawn.code !== 'hash_conflict') return;
      await delay(pause);
      const last = await drafts.drawn(ref.workspace, view.id);
      if (last !== undefined && last.click > click) return;
      hash = last?.hash ?? hash;
    }
  }

  /** Shows how something ended: in the modal, or where it was asked for when that is closed. */
  async function tell({ workspace, member }: Person, ref: AccountRef, viewId: string, draft: Draft) {
    if ((await draw(ref, viewId, draft)).code === undefined) return;
    await messengerOf(workspace).answer({ member, channel: draft.channel }, closedMessage(draft));
  }

  /** The page as it is filled in now, unless the form has moved on. */
  async function filled(click: Click) {
    const { view } = click;
    if (view === undefined) return undefined;
    const { ref, draft, isOld } = await current(click, view);
    if (isOld) {
      // The page that was clicked in is gone, or should be.
      await draw(ref, view.id, draft, view.hash);
      return undefined;
    }
    return { ref, draft, view };
  }

  return { drafts, catalogues, viewOf, current, kept, redraw, tell, filled };
}
