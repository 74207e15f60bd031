import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import { updateModalIfOpen } from '../../slack/answers.ts';
import type { Click, Typing } from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { searched } from './catalogue.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, newDraft } from './draft.ts';
import { jobInputs } from './inputs.ts';
import { type CategoryGroup, categoryOptions } from './job.view.ts';
import {
  draftView,
  goneBeforeProblem,
  goneSentence,
  loadingView,
  noCategories,
  notLoadedView,
} from './outcome.view.ts';
import type { Pages, Person } from './pages.ts';

const loadMs = 15_000;

/** Opening the form, empty or as it was left, and what it needs for that. */
export function createOpening({ accounts, messengerOf }: CreateDeps, pages: Pages) {
  const { drafts, catalogues, current, redraw, exchange, viewOf } = pages;

  async function loaded(ref: AccountRef, draft: Draft): Promise<ModalView> {
    try {
      const catalogue = await catalogues.ask(ref, loadMs);
      return catalogue.length > 0 ? draftView(draft, catalogue) : notLoadedView(draft, noCategories);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return notLoadedView(draft, marketplaceErrorText(error));
    }
  }

  /** Nothing has happened yet: whoever has closed the form meanwhile need not be told. */
  async function load(ref: AccountRef, draft: Draft, viewId: string): Promise<void> {
    await updateModalIfOpen(messengerOf(ref.workspace), viewId, await loaded(ref, draft));
  }

  return {
    /** Opens an empty form. */
    async start({
      workspace,
      member,
      triggerId,
      channel,
    }: Person & { triggerId: string; channel?: ChannelId }) {
      const ref = await accounts.require(workspace, member);
      const last = await drafts.unfinished(workspace, member);
      const draft = newDraft(randomUUID(), {
        member,
        account: ref.account,
        channel,
        ...(last ? { unfinished: { id: last.id, title: last.fields.title } } : {}),
      });
      const catalogue = await catalogues.lately(ref);
      const first = catalogue ? draftView(draft, catalogue) : loadingView(draft);
      const viewId = await messengerOf(workspace).openModal(triggerId, first);
      await drafts.save(workspace, draft);
      if (catalogue === undefined) await load(ref, draft, viewId);
    },

    /** Opens the form as it was left, from a message. */
    async open({ workspace, member, triggerId, value, answer }: Click): Promise<void> {
      const ref = await accounts.require(workspace, member);
      const draft = await drafts.load(workspace, value);
      if (draft?.member !== member) return answer(notice(goneSentence));
      await messengerOf(workspace).openModal(triggerId, await viewOf(ref, draft));
    },

    /** Goes on with what was begun before, in the form that was just opened. */
    async goOn(click: Click): Promise<void> {
      const { workspace, member, value, view } = click;
      if (view === undefined) return;
      const ref = await accounts.require(workspace, member);
      const last = await drafts.load(workspace, value);
      if (last?.member === member) return exchange(ref, click, view, last);
      const { draft } = await current(click, view);
      const { unfinished: _, ...rest } = { ...draft, fields: jobInputs(draft.fields, view.values) };
      await redraw(ref, click, view, { ...rest, problems: [goneBeforeProblem] });
    },

    async loadAgain(click: Click): Promise<void> {
      const { view } = click;
      if (view === undefined) return;
      const { ref, draft } = await current(click, view);
      await load(ref, draft, view.id);
    },

    async typing({ workspace, member, text }: Typing): Promise<{ groups: CategoryGroup[] }> {
      const ref = await accounts.of(workspace, member);
      return ref === undefined ? { groups: [] } : categoryOptions(searched(await catalogues.at(ref), text));
    },
  };
}
