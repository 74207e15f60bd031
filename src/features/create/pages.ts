import { setTimeout as delay } from 'node:timers/promises';
import type { ModalView } from '@slack/types';
import type { AccountRef } from '../../domain/terms.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Actor, Click, OpenView } from '../../slack/feature.ts';
import { SlackError } from '../../slack/slack-error.ts';
import { createTurns } from '../../slack/turns.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { createCatalogues } from './catalogue.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, moved, newDraft, pageState } from './draft.ts';
import { createDrafts } from './drafts.ts';
import {
  closedMessage,
  draftView,
  interruptedSentence,
  needsCatalogue,
  notLoadedView,
  openingView,
} from './outcome.view.ts';

/** How long another click's drawing is waited for. */
const pausesMs = [50, 150, 400];

export type Person = Pick<Actor, 'workspace' | 'member'>;
export type Pages = ReturnType<typeof createPages>;

/** The pages of the form as people have them open: read, kept, and drawn anew. */
export function createPages(deps: CreateDeps) {
  const { accounts, messengerOf, once, logger, now } = deps;
  const drafts = createDrafts(deps);
  const catalogues = createCatalogues(deps);
  const turns = createTurns({
    once,
    drafts,
    unknown: (draft: Draft) => ({
      ...moved(draft, 'unsure', { said: [interruptedSentence(draft.fields.title)] }),
      sent: { at: now(), before: [] },
    }),
  });

  /** The modal of a draft; when the marketplace does not tell what it needs, one that says so and tries again. */
  async function viewOf(ref: AccountRef, draft: Draft): Promise<ModalView> {
    try {
      return draftView(draft, needsCatalogue(draft) ? await catalogues.at(ref) : []);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return notLoadedView(draft, marketplaceErrorText(error));
    }
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
    return drawn(ref, viewId, await viewOf(ref, draft), hash);
  }

  async function drawn(ref: AccountRef, viewId: string, view: ModalView, hash?: string) {
    try {
      return { hash: await messengerOf(ref.workspace).updateModal(viewId, view, hash) };
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
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
      const { hash: now, code } = await draw(ref, view.id, draft, hash);
      if (now !== undefined) await drafts.noteDrawn(ref.workspace, view.id, { click, hash: now });
      if (code !== 'hash_conflict') return;
      await delay(pause);
      const last = await drafts.drawn(ref.workspace, view.id);
      if (last !== undefined && last.click > click) return;
      hash = last?.hash ?? hash;
    }
  }

  /**
   * Shows another draft in the form that is open. Slack leaves what stands in inputs that are still there, such as
   * nothing, so they go away in between.
   */
  async function exchange(ref: AccountRef, click: Click, view: OpenView, draft: Draft): Promise<void> {
    const { hash } = await drawn(ref, view.id, openingView(draft));
    if (hash !== undefined) await redraw(ref, click, { ...view, hash }, draft);
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

  return { drafts, catalogues, turns, viewOf, current, kept, redraw, exchange, tell, filled };
}
