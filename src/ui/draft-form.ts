import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { AccountRef } from '../domain/terms.ts';
import { createModalUpdates } from '../kit/modals.ts';
import type { Modules } from '../kit/modules.ts';
import { notice } from '../slack/blocks.ts';
import type {
  Actor,
  Asker,
  Authorized,
  Click,
  Entry,
  Opener,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../slack/feature.ts';
import { createDrafts, type Draft, type FormDefinition, nextVersion } from './draft.ts';
import {
  closedMessage,
  goneBeforeProblem,
  goneSentence,
  note,
  notSentProblem,
  openingView,
  pageState,
  sendAgainProblem,
  sendingView,
} from './draft-form.view.ts';

interface Page<FormDraft> {
  readonly ref: AccountRef;
  readonly draft: FormDraft;
  /** Returns the draft with what is typed and attached in the page, and with the problems of those files. */
  readonly filled: () => Promise<FormDraft>;
}

interface ClickedPage<FormDraft> extends Page<FormDraft> {
  readonly click: Click;
  readonly view: OpenView;
  /** Replaces the page with a stored draft. */
  readonly show: (draft: FormDraft) => Promise<void>;
  /** Stores the next version of the draft, and shows what is then stored. */
  readonly goTo: (next: FormDraft) => Promise<void>;
}

interface SubmittedPage<FormDraft> extends Page<FormDraft> {
  readonly submission: Submission;
  /** Stores the next version of the draft, and answers with what is then stored. */
  readonly goTo: (next: FormDraft) => Promise<SubmissionAnswer>;
}

/**
 * A modal form with a stored draft: nothing typed is lost when the modal closes or the bot stops, and the draft is sent
 * to the marketplace once. The adapter answers pages with `goTo` and `send`, buttons with `onPage`.
 */
export function createDraftForm<Values>(context: Modules, form: FormDefinition<Values>) {
  type FormDraft = Draft<Values>;
  const { wording, isAsking } = form;
  const drafts = createDrafts(context, form);
  const modals = createModalUpdates(context);
  const preparing = { isPreparing: true, isAsking };

  const emptyDraft = (id: string, { member }: Pick<Actor, 'member'>, { account }: AccountRef): FormDraft => ({
    ...{ id, member, account, step: form.firstPage, version: 0, values: form.emptyValues },
    ...{ files: {}, problems: [], sentences: [] },
  });

  /** Returns the draft of an open modal, and whether it has moved on. If it is lost, the modal's own state is used. */
  async function current(actor: Authorized, { state, values: inputs }: OpenView) {
    const { draft: id, version } = pageState.decode(state);
    const stored = await drafts.load(actor.workspace, id);
    const ref = await actor.authorize({ ...preparing, account: stored?.account });
    const draft = stored ?? { ...emptyDraft(id, actor, ref), version };
    const filled = async () =>
      drafts.attach(ref, { ...draft, values: await form.valuesIn(ref, draft, inputs) }, inputs);
    const isOld = draft.version !== version;
    return { isOld, isLost: stored === undefined, page: { ref, draft, filled } };
  }

  /** Shows a result in the modal or, if it was closed, privately where the form was opened. */
  const deliver = (actor: Asker, view: string, draft: FormDraft): Promise<void> =>
    actor.show(form.view(draft), closedMessage(wording, draft), { view, channel: draft.channel });

  const entry = <Input extends Authorized, Output>(
    run: (input: Input) => Promise<Output>,
  ): Entry<Input, Output> => ({ needs: form.needs, run });

  /** Handles a click on a page; if the form has moved on, or nothing is left of it, shows that instead. */
  function onPage(run: (page: ClickedPage<FormDraft>) => Promise<void>): Entry<Click> {
    return entry(async (click) => {
      const { view } = click;
      if (view === undefined) return;
      const { isOld, isLost, page } = await current(click, view);
      const { ref, draft } = page;
      if (isLost && Object.keys(view.values).length === 0)
        return modals.replace(click, view, note(wording, draft, [goneSentence(wording)]));
      const show = (next: FormDraft) => modals.replace(click, view, form.view(next));
      const goTo = async (next: FormDraft) => show(await drafts.advance(ref, draft, next));
      await (isOld ? show(draft) : run({ ...page, click, view, show, goTo }));
    });
  }

  /** Handles the submission of a page; if the form has moved on, shows that instead. */
  const onSubmit = (run: (page: SubmittedPage<FormDraft>) => Promise<SubmissionAnswer>) =>
    entry(async (submission: Submission): Promise<SubmissionAnswer> => {
      const { isOld, page } = await current(submission, submission);
      const { ref, draft } = page;
      const goTo = async (next: FormDraft) => ({ update: form.view(await drafts.advance(ref, draft, next)) });
      return isOld ? { update: form.view(draft) } : run({ ...page, submission, goTo });
    });

  const resume = onPage(async ({ click, ref, view, filled, goTo }) => {
    const stored = await drafts.load(click.workspace, click.value);
    if (stored?.member !== click.member || stored.account !== ref.account)
      return goTo({ ...(await filled()), problems: [goneBeforeProblem], unfinished: undefined });
    await modals.exchange(click, view, openingView(wording, stored), form.view(stored));
  });

  const discard = onPage(async ({ click, draft, filled, goTo }) => {
    await drafts.discard(click.workspace, click.value);
    await goTo({ ...(await filled()), problems: draft.problems, unfinished: undefined });
  });

  /** While sending: shows the outcome; or, as long as nothing was sent, returns to the form and prevents sending. */
  const lookAgain = onPage(async ({ click, ref, draft, view, show, goTo }) => {
    if (draft.step === 'unknown') return deliver(click, view.id, await drafts.lookUp(ref, draft));
    if (draft.step !== form.sendPage) return show(draft);
    await goTo(nextVersion(draft, form.sendPage, { problems: [notSentProblem(wording)] }));
  });

  /** Returns to the form from an unknown outcome with a warning, or while files are being read. */
  const backToForm = onPage(async ({ draft, show, goTo }) => {
    if (draft.step === 'unknown')
      return goTo(nextVersion(draft, form.sendPage, { problems: [sendAgainProblem(wording, draft)] }));
    if (draft.step === 'done' || draft.step === form.sendPage) return show(draft);
    await goTo(nextVersion(draft, draft.step));
  });

  const open = entry<Click, void>(async ({ workspace, member, open, value, answer, authorize }) => {
    const draft = await drafts.load(workspace, value);
    await authorize({ ...preparing, account: draft?.account });
    if (draft?.member !== member) return answer(notice(goneSentence(wording)));
    await open(form.view(draft));
  });

  /** Answers a submission that exceeds Slack's timeout. `run` returns the draft to show at the end. */
  const inBackground = (
    submission: Submission,
    meanwhile: ModalView,
    run: () => Promise<FormDraft | undefined>,
  ): SubmissionAnswer => ({
    update: meanwhile,
    async afterwards() {
      const ended = await run();
      if (ended !== undefined) await deliver(submission, submission.id, ended);
    },
  });

  const { actions } = wording;
  return {
    ...drafts,
    clicks: {
      [actions.resume]: resume,
      [actions.discard]: discard,
      [actions.lookAgain]: lookAgain,
      [actions.backToForm]: backToForm,
      [actions.open]: open,
    },

    deliver,
    entry,
    inBackground,
    onPage,
    onSubmit,
    update: modals.replace,

    /** Returns the account for which a member begins to fill in the form. */
    begin: ({ authorize }: Authorized): Promise<AccountRef> => authorize(preparing),

    /** Opens an empty form that offers to resume the person's unfinished one. */
    async start(opener: Opener, ref: AccountRef, given: Partial<FormDraft>): Promise<void> {
      const latest = await drafts.unfinished(opener.workspace, opener.member);
      const unfinished =
        latest?.account === ref.account ? { id: latest.id, description: wording.subject(latest) } : undefined;
      const draft = { ...emptyDraft(randomUUID(), opener, ref), unfinished, ...given };
      await drafts.advance(ref, draft, draft);
      await opener.open(form.view(draft));
    },

    /** Answers the submission of a validated draft by sending it. */
    async send(submission: Submission, ref: AccountRef, draft: FormDraft): Promise<SubmissionAnswer> {
      // The rights checked while filling in the form are checked again before sending.
      await submission.authorize({ account: ref.account });
      return inBackground(submission, sendingView(wording, draft), () => drafts.sendOnce(ref, draft));
    },
  };
}
