import { randomUUID } from 'node:crypto';
import { isIP } from 'node:net';
import type { AccountRef } from '../../domain/terms.ts';
import { SlackFailure } from '../../slack/failure.ts';
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
import type { SubmitDeps } from './deps.ts';
import { createDrafts, type Draft, fileInput, moved, newDraft, pageState } from './draft.ts';
import { createSender } from './send.ts';
import {
  backToForm,
  closedMessage,
  draftView,
  dropFile,
  goneSentence,
  lookAgain,
  openForm,
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
  const drafts = createDrafts(deps.kept);
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
    try {
      await messengerOf(ref.workspace).updateModal(viewId, draftView(draft));
      return true;
    } catch (error) {
      if (!(error instanceof SlackFailure)) throw error;
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
          : { id, title: (await listings.byId(ref, id)).title };
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
    const about = { member, account: ref.account, channel };
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
    if (isOld) return { update: draftView(draft) };
    const [added] = attached(values, fileInput(draft));
    const filled = await filledIn(ref, draft, values);
    const errors = errorsOf(filled, added !== undefined || draft.file !== undefined);
    if (Object.keys(errors).length > 0) return { errors };
    if (draft.account !== ref.account) {
      const mine = moved({ ...filled, account: ref.account }, 'form', { problems: [otherAccountProblem] });
      return { update: draftView(await drafts.save(workspace, mine)) };
    }
    return {
      update: sendingView(draft),
      async afterwards() {
        if (!(await once(workspace, `submit ${draft.id} ${draft.turn}`))) return;
        await tell(submission, ref, submission.id, await sender.send(ref, filled, added));
      },
    };
  }

  /** For a button in the modal: what it makes of the draft, unless the modal has moved on. */
  function inModal(
    step: Draft['step'],
    run: (ref: AccountRef, draft: Draft, view: OpenView) => Promise<Draft>,
  ) {
    return async (click: Click): Promise<void> => {
      const { view } = click;
      if (view === undefined) return;
      const { ref, draft, isOld } = await current(click, view);
      if (isOld || draft.step !== step) {
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
      [lookAgain]: inModal('unsure', (ref, draft) => sender.look(ref, draft)),
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
