import { randomUUID } from 'node:crypto';
import type { ModalView } from '@slack/types';
import type { AccountRef } from '../domain/terms.ts';
import { createModalUpdates } from '../kit/modals.ts';
import type { Modules } from '../kit/modules.ts';
import { createSpending } from '../kit/spending.ts';
import { notice } from '../slack/blocks.ts';
import type {
  Actor,
  Asker,
  Authorized,
  Click,
  Entry,
  OpenView,
  Submission,
  SubmissionAnswer,
} from '../slack/feature.ts';
import {
  createDraftFiles,
  type Draft,
  type FormDefinition,
  nextVersion,
  type Problem,
  pageState,
} from './draft.ts';
import {
  closedMessage,
  goneBeforeProblem,
  goneSentence,
  notSentProblem,
  openingView,
  sendAgainProblem,
  sendingView,
} from './draft-form.view.ts';
import { createDraftStore, createSending } from './draft-sending.ts';

type Person = Pick<Actor, 'workspace' | 'member'>;

/** A page on which something was pressed. */
interface ClickedPage<FormDraft> {
  readonly click: Click;
  readonly ref: AccountRef;
  readonly draft: FormDraft;
  readonly view: OpenView;
  /** Whether the draft is no longer stored. */
  readonly isLost: boolean;
  /** Replaces the page with the current draft. */
  readonly show: (draft: FormDraft) => Promise<void>;
}

/**
 * A modal form with a stored draft: nothing typed is lost when the modal closes or the bot stops, and the draft is sent
 * to the marketplace once. The adapter answers pages with `goTo` and `send`, buttons with `onPage`.
 */
export function createDraftForm<Page extends string, Values>(
  context: Modules,
  form: FormDefinition<Page, Values>,
) {
  type FormDraft = Draft<Page, Values>;
  const { jobs, clock } = context;
  const { wording, view: render } = form;
  const spending = createSpending(context);
  const drafts = createDraftStore(context, form);
  const files = createDraftFiles(context);
  const modals = createModalUpdates(context);
  const sending = createSending(context, form, drafts, files);
  const { advance } = sending;
  // Members who may not send it themselves request an approval at the end.
  const isAsking = form.spendingOf !== undefined;
  const preparing = { isPreparing: true, isAsking };

  function emptyDraft(id: string, { member }: Person, { account }: AccountRef): FormDraft {
    return {
      id,
      member,
      account,
      step: form.firstPage,
      version: 0,
      values: form.emptyValues,
      files: {},
      uploads: 0,
      problems: [],
      sentences: [],
    };
  }

  /** Stores a draft at the page that it shows. Returns the other version if it has moved on. */
  const save = (ref: AccountRef, draft: FormDraft): Promise<FormDraft> => advance(ref, draft, draft);

  /** Returns the draft of an open modal. If it is lost, the modal's own state is used. */
  async function current(
    { workspace, member, authorize }: Person & Pick<Authorized, 'authorize'>,
    { state }: Pick<OpenView, 'state'>,
  ) {
    const { draft: id, version } = pageState.decode(state);
    const stored = await drafts.load(workspace, id);
    const ref = await authorize({ ...preparing, account: stored?.account });
    const draft = stored ?? { ...emptyDraft(id, { workspace, member }, ref), version };
    return { ref, draft, isLost: stored === undefined, isOld: draft.version !== version };
  }

  /** Shows a result in the modal or, if it was closed, privately where the form was opened. */
  async function deliver(actor: Asker, ref: AccountRef, view: string, draft: FormDraft) {
    const { channel } = draft;
    await actor.show(await render(ref, draft), closedMessage(wording, draft), { view, channel });
  }

  /** Answers a submission with the stored draft. */
  async function answerWith(ref: AccountRef, draft: FormDraft): Promise<SubmissionAnswer> {
    return { update: await render(ref, draft) };
  }

  /** Handles a click on a page; if the form has moved on, shows that instead. */
  function onPage(run: (page: ClickedPage<FormDraft>) => Promise<void>): Entry<Click> {
    return entry(async (click) => {
      const { view } = click;
      if (view === undefined) return;
      const { ref, draft, isLost, isOld } = await current(click, view);
      const show = async (next: FormDraft) => modals.replace(click, view, await render(ref, next));
      await (isOld ? show(draft) : run({ click, ref, draft, view, isLost, show }));
    });
  }

  /** Wraps a handler with the right that the form requires. */
  function entry<Input extends Authorized, Output>(
    run: (input: Input) => Promise<Output>,
  ): Entry<Input, Output> {
    return { needs: form.needs, run };
  }

  async function withoutOffer(
    ref: AccountRef,
    draft: FormDraft,
    { values: inputs }: OpenView,
    problems: readonly Problem[],
  ): Promise<FormDraft> {
    const values = await form.valuesIn(ref, draft, inputs);
    return save(ref, { ...draft, values, problems, unfinished: undefined });
  }

  const resume = onPage(async ({ click, ref, draft, view, show }) => {
    const stored = await drafts.load(click.workspace, click.value);
    if (stored?.member !== click.member || stored.account !== ref.account) {
      return show(await withoutOffer(ref, draft, view, [goneBeforeProblem]));
    }
    await modals.exchange(click, view, openingView(wording, stored), await render(ref, stored));
  });

  const discard = onPage(async ({ click, ref, draft, view, show }) => {
    await drafts.discard(click.workspace, click.member, click.value);
    await show(await withoutOffer(ref, draft, view, draft.problems));
  });

  /** While sending: shows the outcome; or, as long as nothing was sent, returns to the form and prevents sending. */
  const lookAgain = onPage(async ({ click, ref, draft, view, show }) => {
    if (draft.step === 'unknown') return deliver(click, ref, view.id, await sending.lookUp(ref, draft));
    if (draft.step !== form.sendPage) return show(draft);
    const unsent = nextVersion({ ...draft, uploads: draft.uploads + 1 }, form.sendPage, {
      problems: [notSentProblem(wording)],
    });
    await show(await advance(ref, draft, unsent));
  });

  /** Returns to the form from an unknown outcome with a warning, or while files are being read. */
  const backToForm = onPage(async ({ ref, draft, show }) => {
    if (draft.step === 'unknown') {
      const problems = draft.sent ? [sendAgainProblem(wording, draft)] : [];
      return show(await advance(ref, draft, nextVersion(draft, form.sendPage, { problems })));
    }
    if (draft.step === 'done' || draft.step === form.sendPage) return show(draft);
    const again = { ...nextVersion(draft, draft.step), uploads: draft.uploads + 1 };
    await show(await advance(ref, draft, again));
  });

  /** Answers a submission that exceeds Slack's timeout. `run` returns the draft to show at the end. */
  function inBackground(
    submission: Submission,
    ref: AccountRef,
    meanwhile: ModalView,
    run: () => Promise<FormDraft | undefined>,
  ): SubmissionAnswer {
    return {
      update: meanwhile,
      async afterwards() {
        const ended = await run();
        if (ended !== undefined) await deliver(submission, ref, submission.id, ended);
      },
    };
  }

  async function open({ workspace, member, open, value, answer, authorize }: Click): Promise<void> {
    const draft = await drafts.load(workspace, value);
    const ref = await authorize({ ...preparing, account: draft?.account });
    if (draft?.member !== member) return answer(notice(goneSentence(wording)));
    await open(await render(ref, draft));
  }

  /** Sends a draft, or requests approval of its cost; the draft is then kept unchanged. */
  async function sendOrAsk(
    { workspace, team, member }: Click,
    ref: AccountRef,
    draft: FormDraft,
  ): Promise<FormDraft> {
    const act = form.spendingOf?.(draft);
    if (act === undefined) return sending.sendOnce(ref, draft);
    const one = { id: `${draft.id} ${draft.version}`, at: clock.now() };
    const answer = await spending.begin({ workspace, team, member, how: 'form' }, ref, act, one);
    if (answer.kind === 'granted') {
      const sent = await sending.sendOnce(ref, draft, { by: draft.member, how: 'form' }, answer.keep);
      if (sent.step !== 'done' && sent.step !== 'unknown') await answer.giveBack();
      return sent;
    }
    const { kind, sentence } = answer;
    if (kind === 'asked') {
      // Before it is sent, it is looked up.
      const { before = [] } = await form.prepare(ref, draft, {});
      const asked = nextVersion(draft, 'done', { sentences: [sentence] });
      return advance(ref, draft, { ...asked, sent: { at: one.at, before } });
    }
    return advance(ref, draft, nextVersion(draft, form.sendPage, { problems: [{ text: sentence }] }));
  }

  const { actions } = wording;
  return {
    /** Handlers of the buttons every form has. */
    clicks: {
      [actions.resume]: resume,
      [actions.discard]: discard,
      [actions.lookAgain]: lookAgain,
      [actions.backToForm]: backToForm,
      [actions.open]: entry(open),
    },

    entry,
    attach: files.attach,
    current,
    advance,
    /** Stores the next version of a draft. Returns undefined if it has moved on meanwhile. */
    async advanceIfCurrent(ref: AccountRef, from: FormDraft, to: FormDraft): Promise<FormDraft | undefined> {
      const { draft, isMine } = await drafts.replace(ref.workspace, from, to);
      return isMine ? draft : undefined;
    },
    onPage,
    replace: modals.replace,
    answerWith,
    save,
    inBackground,
    valuesIn: form.valuesIn,
    /** Loads drafts whose sending was approved. */
    load: drafts.load,
    sendOnce: sending.sendOnce,
    lookUp: sending.lookUp,
    find: form.find,

    /** Returns an empty draft that offers to resume the person's unfinished one. */
    async newDraft(person: Person & Pick<Draft, 'channel'>, ref: AccountRef): Promise<FormDraft> {
      const latest = await drafts.unfinished(person.workspace, person.member);
      const unfinished =
        latest?.account === ref.account ? { id: latest.id, description: wording.subject(latest) } : undefined;
      return { ...emptyDraft(randomUUID(), person, ref), channel: person.channel, unfinished };
    },

    /** Stores the next version of a draft, and answers a submission with it. */
    async goTo(ref: AccountRef, draft: FormDraft, next: FormDraft): Promise<SubmissionAnswer> {
      return answerWith(ref, await advance(ref, draft, next));
    },

    /** Answers the submission of a validated draft by sending it. */
    async send(submission: Submission, ref: AccountRef, draft: FormDraft): Promise<SubmissionAnswer> {
      // The rights checked while filling in the form are checked again before sending.
      await submission.authorize({ account: ref.account });
      return inBackground(submission, ref, sendingView(wording, draft), () => sending.sendOnce(ref, draft));
    },

    /** Sends a validated draft whose cost was confirmed, or requests approval of it. */
    async sendConfirmed({ click, ref, draft, view }: ClickedPage<FormDraft>): Promise<void> {
      await click.authorize({ account: ref.account, isAsking });
      // Shown first: from there it can be looked up, should the process die.
      await modals.replace(click, view, sendingView(wording, draft));
      if (!(await jobs.claimOnce(click.workspace, `${form.name} ${view.id} ${draft.version}`))) return;
      await deliver(click, ref, view.id, await sendOrAsk(click, ref, draft));
    },
  };
}
