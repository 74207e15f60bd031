import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { ModalView } from '@slack/types';
import { type AccountRef, CampaignId } from '../../domain/terms.ts';
import {
  type Actor,
  attached,
  type Click,
  type Command,
  chosen,
  type Feature,
  type OpenView,
  type Submission,
  type SubmissionAnswer,
  typed,
  type Values,
} from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { SlackError } from '../../slack/slack-error.ts';
import type { SubmitDeps } from './deps.ts';
import { createDrafts, type Draft, fileInput, moved, newDraft, pageState } from './draft.ts';
import { createSender } from './send.ts';
import {
  backToForm,
  closedMessage,
  draftView,
  dropFile,
  goneBeforeProblem,
  goneSentence,
  goOn,
  lookAgain,
  notSentProblem,
  openForm,
  openingView,
  otherAccountProblem,
  sendAgainProblem,
  sendingView,
  severalProblem,
  submitAnother,
  submitForm,
} from './submit.view.ts';

type Person = Pick<Actor, 'workspace' | 'member'>;

/** `/campaign submit`: hands in what a worker did, on the worker's behalf. */
export function createSubmitFeature(deps: SubmitDeps): Feature {
  const { accounts, listings, messengerOf, once, logger } = deps;
  const drafts = createDrafts(deps.expiringTexts);
  const sender = createSender(deps, drafts);

  /** The draft of an open modal. Without one, what the modal itself holds is all there is. */
  async function current({ workspace, member }: Person, { state }: Pick<OpenView, 'state'>) {
    const { draft: id, turn } = pageState.decode(state);
    const ref = await accounts.require(workspace, member);
    const kept = await drafts.load(workspace, id);
    const draft = kept ?? { ...newDraft(id, { member, account: ref.account }), turn };
    return { ref, draft, isOld: draft.turn !== turn };
  }

  async function redraw(ref: AccountRef, viewId: string, draft: Draft): Promise<boolean> {
    return drawn(ref, viewId, draftView(draft));
  }

  async function drawn(ref: AccountRef, viewId: string, view: ModalView): Promise<boolean> {
    try {
      await messengerOf(ref.workspace).updateModal(viewId, view);
      return true;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      logger.info({ code: error.code }, 'the form of a submission for a worker could not be drawn');
      return false;
    }
  }

  /** Shows how something ended: in the modal, or where it was asked for when that is closed. */
  async function tell({ workspace, member }: Person, ref: AccountRef, viewId: string, draft: Draft) {
    if (await redraw(ref, viewId, draft)) return;
    await messengerOf(workspace).answer({ member, channel: draft.channel }, closedMessage(draft));
  }

  /** What stands in the form, the file apart. */
  async function filledIn(ref: AccountRef, draft: Draft, values: Values): Promise<Draft> {
    const id = chosen(values, 'campaign');
    const { campaign: before, ...rest } = draft;
    const campaign =
      id === undefined
        ? undefined
        : before?.id === id
          ? before
          : { id: CampaignId.parse(id), title: (await listings.byId(ref, id)).title };
    return {
      ...rest,
      ...(campaign ? { campaign } : {}),
      worker: typed(values, 'worker'),
      ip: typed(values, 'ip'),
      proof: typed(values, 'proof'),
    };
  }

  async function start({ workspace, member, channel, text, triggerId }: Command): Promise<void> {
    const ref = await accounts.require(workspace, member);
    const found = text === '' ? undefined : await listings.find(ref, text);
    const last = await drafts.unfinished(workspace, member);
    const unfinished = last && {
      id: last.id,
      title: last.campaign?.title ?? '',
      worker: last.worker,
    };
    const about = { member, account: ref.account, channel, ...(unfinished ? { unfinished } : {}) };
    const draft =
      found === undefined
        ? newDraft(randomUUID(), about)
        : found.kind === 'several'
          ? newDraft(randomUUID(), about, [severalProblem(text, found.campaigns.length)])
          : newDraft(randomUUID(), {
              ...about,
              campaign: { id: found.campaign.id, title: found.campaign.title },
            });
    await drafts.save(workspace, draft);
    await messengerOf(workspace).openModal(triggerId, draftView(draft));
  }

  async function submitted(submission: Submission): Promise<SubmissionAnswer> {
    const { workspace, values } = submission;
    const { ref, draft, isOld } = await current(submission, submission);
    if (isOld || draft.step !== 'form') return { update: draftView(draft) };
    const [added] = attached(values, fileInput(draft));
    const filled = await filledIn(ref, draft, values);
    const errors = errorsOf(filled, added !== undefined || draft.file !== undefined);
    if (Object.keys(errors).length > 0) return { errors };
    const { taken, refused } = await sender.take(ref, filled, added);
    if (refused) return { update: draftView(await sender.leave(ref, filled, refused)) };
    if (draft.account !== ref.account) {
      const mine = moved({ ...taken, account: ref.account }, 'form', { problems: [otherAccountProblem] });
      return { update: draftView(await sender.leave(ref, taken, mine)) };
    }
    // Kept before the form is gone: a process may end before it sends. The input for a file stays the same, so that
    // what Slack delivers again is understood alike.
    await drafts.save(workspace, { ...taken, uploads: draft.uploads, problems: [] });
    return {
      update: sendingView(draft),
      async afterwards() {
        // What is delivered again is sent once; pressing Submit again is another submission.
        if (await once(workspace, `submit ${submission.id} ${submission.hash}`))
          await tell(submission, ref, submission.id, await sender.send(ref, taken));
      },
    };
  }

  /**
   * How what was sent ended, as far as can be seen by now. While the modal says that it is being sent: as long as
   * nothing was, the form, and it is not sent then.
   */
  async function look(ref: AccountRef, draft: Draft): Promise<Draft> {
    if (draft.step === 'unsure') return sender.look(ref, draft);
    if (draft.step === 'done') return draft;
    const back = { ...draft, uploads: draft.uploads + 1 };
    return sender.leave(ref, draft, moved(back, 'form', { problems: [notSentProblem] }));
  }

  /** Goes on with what was begun before, in the form that was just opened. */
  async function goOnWith({ workspace, member, value, view }: Click): Promise<void> {
    if (view === undefined) return;
    const { ref, draft } = await current({ workspace, member }, view);
    const last = await drafts.load(workspace, value);
    if (last?.member === member) {
      // Slack leaves what stands in inputs that are still there, such as nothing, so they go away in between.
      if (await drawn(ref, view.id, openingView(last))) await redraw(ref, view.id, last);
      return;
    }
    const { unfinished: _, ...rest } = await filledIn(ref, draft, view.values);
    await redraw(ref, view.id, { ...rest, problems: [goneBeforeProblem] });
  }

  /** For a button in the modal: what it makes of the draft, unless the modal has moved on. */
  function inModal(
    step: Draft['step'] | 'any',
    run: (ref: AccountRef, draft: Draft, view: OpenView) => Promise<Draft>,
  ) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const { ref, draft, isOld } = await current(click, view);
      if (isOld || (step !== 'any' && draft.step !== step)) {
        await redraw(ref, view.id, draft);
        return;
      }
      await tell(click, ref, view.id, await run(ref, draft, view));
    };
  }

  return {
    commands: [
      {
        command: '/campaign',
        word: 'submit',
        usage: '<id>',
        help: 'Hands in a proof on the behalf of a worker.',
        run: start,
      },
    ],
    submissions: { [submitForm]: submitted },
    clicks: {
      [dropFile]: inModal('form', async (ref, draft, view) => {
        const { file: _, ...rest } = await filledIn(ref, draft, view.values);
        return drafts.save(ref.workspace, rest);
      }),
      [lookAgain]: inModal('any', look),
      [goOn]: goOnWith,
      [backToForm]: inModal('unsure', (ref, draft) =>
        drafts.save(ref.workspace, moved(draft, 'form', { problems: [sendAgainProblem(draft)] })),
      ),
      [submitAnother]: inModal('done', (ref, draft) => {
        const { member, account, channel, campaign, turn, uploads } = draft;
        const next = newDraft(draft.id, { member, account, channel, campaign });
        return drafts.save(ref.workspace, { ...next, turn: turn + 1, uploads: uploads + 1 });
      }),
      async [openForm]({ workspace, member, triggerId, value, answer }: Click) {
        await accounts.require(workspace, member);
        const draft = await drafts.load(workspace, value);
        if (draft?.member !== member) return answer(notice(goneSentence));
        await messengerOf(workspace).openModal(triggerId, draftView(draft));
      },
    },
  };
}

/** What is wrong before anything is sent, by input. */
function errorsOf({ campaign, worker, ip, proof }: Draft, hasFile: boolean): Record<string, string> {
  return {
    ...(campaign === undefined ? { campaign: 'Choose a campaign.' } : {}),
    ...(worker === '' ? { worker: 'Enter the id of the worker.' } : {}),
    ...(isIP(ip) === 0 ? { ip: 'Enter an IP address, such as 192.0.2.7.' } : {}),
    ...(proof === '' && !hasFile ? { proof: 'Enter the proof, or attach a file.' } : {}),
  };
}
