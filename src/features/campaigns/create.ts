import { randomUUID } from 'node:crypto';
import type { ActOfKind } from '../../domain/approval.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { createModalUpdates } from '../../kit/modals.ts';
import type { Modules } from '../../kit/modules.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import { notice } from '../../slack/blocks.ts';
import type {
  Actor,
  Asker,
  Authorized,
  Click,
  Entry,
  Feature,
  Opener,
  OpenView,
  Submission,
  SubmissionAnswer,
  Typing,
} from '../../slack/feature.ts';
import { type Attachment, chosen } from '../../slack/form-values.ts';
import { type ActOutcome, type ApprovedAct, createSpending } from '../people/public.ts';
import {
  categoryOptions,
  changedSince,
  draftGone,
  draftView,
  firstPageGone,
  jobView,
  noCategories,
  workView,
} from './create.view.ts';
import {
  type CampaignDraft,
  createCatalogue,
  emptyFields,
  jobProblems,
  nextVersion,
  type Problem,
  pageOf,
  templateOf,
  toCampaign,
  withInputs,
  withoutFile,
  withRemoved,
  workProblems,
} from './create-fields.ts';
import { createCampaignSender } from './create-send.ts';
import { createDrafts, type Drafts, tryFile } from './draft.ts';
import {
  closedMessage,
  discardedSentence,
  goneSentence,
  note,
  notSentProblem,
  pageState,
  readingView,
  resumedView,
  sendAgainProblem,
  sendingView,
} from './draft.view.ts';
import { readTemplate } from './template.ts';

interface Page {
  readonly ref: AccountRef;
  readonly draft: CampaignDraft;
  /** Returns the draft with what is typed and attached in the page, and with the problems of those files. */
  readonly filled: () => Promise<CampaignDraft>;
}

interface ClickedPage extends Page {
  readonly click: Click;
  readonly view: OpenView;
  /** Replaces the page with a stored draft. */
  readonly show: (draft: CampaignDraft) => Promise<void>;
  /** Stores the next version of the draft, and shows what is then stored. */
  readonly goTo: (next: CampaignDraft) => Promise<void>;
}

interface SubmittedPage extends Page {
  readonly submission: Submission;
  /** Stores the next version of the draft, and answers with what is then stored. */
  readonly goTo: (next: CampaignDraft) => Promise<SubmissionAnswer>;
}

/** Until it is sent, the form asks only for the right to ask for the campaign. */
const preparing = { isPreparing: true, isAsking: true };

const emptyDraft = (
  id: string,
  { member }: Pick<Actor, 'member'>,
  { account }: AccountRef,
): CampaignDraft => ({
  ...{ id, member, account, step: 'job', version: 0, values: emptyFields },
  ...{ files: {}, problems: [], sentences: [] },
});

const entry = <Input extends Authorized, Output>(
  run: (input: Input) => Promise<Output>,
): Entry<Input, Output> => ({ needs: 'create', run });

/** Timeout of the categories: while somebody waits for them, and beforehand. */
const waitMs = 2_000;
const loadMs = 15_000;

/**
 * Creates `/campaign new`, with its button and shortcut: a form of three pages with a stored draft. Nothing typed is lost
 * when the modal closes or the bot stops, and the draft is sent to the marketplace once.
 */
export function createCreateFeature(context: Modules) {
  const { campaigns, clock, jobs, slack, log } = context;
  const catalogueOf = createCatalogue(context);
  const spending = createSpending(context);
  const sender = createCampaignSender(context);
  const drafts = createDrafts(context, sender);
  const { advance } = drafts;
  const modals = createModalUpdates(context);

  /** Returns the fields merged with a page's inputs. */
  async function valuesIn(ref: AccountRef, { values }: CampaignDraft, inputs: OpenView['values']) {
    const next = withInputs(values, inputs);
    const id = chosen(inputs, 'category');
    if (!('category' in inputs) || id === values.category?.id) return next;
    const listed = id === undefined ? [] : await catalogueOf(ref, waitMs);
    const category = listed.flatMap(({ categories }) => categories).find((one) => one.id === id);
    return { ...next, category };
  }

  /** Returns the draft of an open modal, and whether it has moved on. If it is lost, the modal's own state is used. */
  async function current(actor: Authorized, { state, values: inputs }: OpenView) {
    const { draft: id, version } = pageState.decode(state);
    const stored = await drafts.load(actor.workspace, id);
    const ref = await actor.authorize({ ...preparing, account: stored?.account });
    const draft = stored ?? { ...emptyDraft(id, actor, ref), version };
    const filled = async () =>
      drafts.attach(ref, { ...draft, values: await valuesIn(ref, draft, inputs) }, inputs);
    const isOld = draft.version !== version;
    return { isOld, isLost: stored === undefined, page: { ref, draft, filled } };
  }

  /** Shows a result in the modal or, if it was closed, privately where the form was opened. */
  const deliver = (actor: Asker, view: string, draft: CampaignDraft): Promise<void> =>
    actor.show(draftView(draft), closedMessage(draft), { view, channel: draft.channel });

  /** Handles a click on a page; if the form has moved on, or nothing is left of it, shows that instead. */
  function onPage(run: (page: ClickedPage) => Promise<void>): Entry<Click> {
    return entry(async (click) => {
      const { view } = click;
      if (view === undefined) return;
      const { isOld, isLost, page } = await current(click, view);
      const { ref, draft } = page;
      if (isLost && Object.keys(view.values).length === 0)
        return modals.replace(click, view, note(draft, [goneSentence]));
      const show = (next: CampaignDraft) => modals.replace(click, view, draftView(next));
      const goTo = async (next: CampaignDraft) => show(await advance(ref, draft, next));
      await (isOld ? show(draft) : run({ ...page, click, view, show, goTo }));
    });
  }

  /** Handles the submission of a page; if the form has moved on, shows that instead. */
  const onSubmit = (run: (page: SubmittedPage) => Promise<SubmissionAnswer>) =>
    entry(async (submission: Submission): Promise<SubmissionAnswer> => {
      const { isOld, page } = await current(submission, submission);
      const { ref, draft } = page;
      const goTo = async (next: CampaignDraft) => ({ update: draftView(await advance(ref, draft, next)) });
      return isOld ? { update: draftView(draft) } : run({ ...page, submission, goTo });
    });

  /** Reads the start of the CSV template. */
  async function withTemplate(
    ref: AccountRef,
    draft: CampaignDraft,
    csv: Attachment,
  ): Promise<CampaignDraft> {
    const rows = new Map<string, readonly string[]>();
    const template = await tryFile('csv', async () => {
      const { stream } = await slack.messengerOf(ref.workspace).attachments.open(csv);
      return readTemplate(stream, rows);
    });
    if ('text' in template) return nextVersion(withoutFile(draft, 'csv'), 'work', { problems: [template] });
    await campaigns.briefs.storeDraftRows(ref, draft.id, rows);
    return nextVersion(draft, 'check', {
      values: { ...draft.values, template: { ...template, of: csv.id } },
    });
  }

  /** Opens the form: the member's unfinished draft, or an empty one. */
  const start = async (opener: Opener & { channel?: ChannelId }) => {
    const ref = await opener.authorize(preparing);
    const latest = await drafts.unfinished(opener.workspace, opener.member);
    if (latest?.account === ref.account) await opener.open(resumedView(draftView(latest)));
    else {
      const draft = { ...emptyDraft(randomUUID(), opener, ref), channel: opener.channel };
      await advance(ref, draft, draft);
      await opener.open(draftView(draft));
    }
    // People find them at hand once they open the select, also while the marketplace is slow.
    await catalogueOf(ref, loadMs).catch(notLoaded);
  };

  function notLoaded(error: unknown): undefined {
    if (!isCallFailure(error)) throw error;
    log.warn({ err: error }, 'categories not loaded');
    return undefined;
  }

  /** Returns the categories that match typed text. */
  async function categoriesFor(typing: Typing) {
    const catalogue = await catalogueOf(await typing.authorize(preparing), waitMs).catch(notLoaded);
    return catalogue?.length ? categoryOptions(catalogue, typing.text) : [noCategories];
  }

  /** Shows the minimum payments of the chosen category. */
  const categoryChosen = onPage(async ({ click, draft, filled, view }) => {
    const { values } = await filled();
    const problems = draft.problems.filter(({ field }) => field !== 'category');
    await modals.replace(click, view, jobView({ ...draft, values, problems }));
  });

  const jobSubmitted = onSubmit(async ({ submission, draft, filled, goTo }) => {
    const next = await filled();
    const mistakes = jobProblems(next.values);
    if (mistakes.length > 0) return { errors: errorsAt(submission, mistakes) };
    return goTo(nextVersion(next, 'work', { problems: workProblemsOf(draft) }));
  });

  /** Changes the second page's layout: another kind of description, more inputs, a removed file. */
  const workChanged = (
    change: (filled: CampaignDraft, before: CampaignDraft, value: string) => CampaignDraft,
  ) =>
    onPage(async ({ click, ref, draft, filled, view }) => {
      const shown = change(await filled(), draft, click.value);
      const { isMine } = await drafts.replace(ref, draft, shown);
      if (isMine) await modals.replace(click, view, workView(shown));
    });

  const workSubmitted = onSubmit(async ({ submission, ref, draft, filled, goTo }) => {
    const taken = await filled();
    // Drafts expire: what was typed on the first page may be gone.
    const missing = jobProblems(taken.values);
    if (missing.length > 0)
      return goTo(nextVersion(taken, 'job', { problems: [{ text: firstPageGone }, ...missing] }));
    const wrong = [...taken.problems, ...workProblems(taken.values, true)];
    if (taken.problems.length > 0) return goTo(nextVersion(taken, 'work', { problems: wrong }));
    const mistakes = workProblems(taken.values, 'csv' in taken.files);
    if (mistakes.length > 0) return { errors: errorsAt(submission, mistakes) };
    const next = taken.values.description === 'SAME' ? withoutFile(taken, 'csv') : taken;
    const { csv } = next.files;
    if (csv === undefined || templateOf(next)) return goTo(nextVersion(next, 'check'));
    // Stored before the page is replaced: reading takes a while, and a process may die.
    await advance(ref, draft, next);
    return {
      update: readingView(draft),
      async afterwards() {
        const { draft: read, isMine } = await drafts.replace(ref, draft, await withTemplate(ref, next, csv));
        // A member who returned to the form meanwhile stays there.
        if (isMine) await deliver(submission, submission.id, read);
      },
    };
  });

  /** Creates the campaign that the last page shows. */
  const confirmed = onPage(async ({ click, ref, draft, view, show }) => {
    if (draft.step !== 'check') return show(draft);
    await click.authorize({ account: ref.account, isAsking: true });
    // Shown first: from there it can be looked up, should the process die.
    await modals.replace(click, view, sendingView(draft));
    if (await jobs.claimOnce(click.workspace, `new-campaign ${view.id} ${draft.version}`))
      await deliver(click, view.id, await sendOrAsk(click, ref, draft));
  });

  /** Sends a draft, or requests approval of its cost; the draft is then kept unchanged. */
  async function sendOrAsk(
    { workspace, team, member }: Click,
    ref: AccountRef,
    draft: CampaignDraft,
  ): Promise<CampaignDraft> {
    const one = { id: `${draft.id} ${draft.version}`, at: clock.now() };
    const spender = { workspace, team, member, how: 'form' } as const;
    const answer = await spending.begin(spender, ref, createAct(draft), one);
    if (answer.kind === 'granted') {
      const sent = await drafts.sendOnce(ref, draft, { by: draft.member, how: 'form' }, answer.keep);
      if (sent.step !== 'done' && sent.step !== 'unknown') await answer.giveBack();
      return sent;
    }
    if (answer.kind === 'refused')
      return advance(ref, draft, nextVersion(draft, 'check', { problems: [{ text: answer.sentence }] }));
    // Before it is sent, it is looked up.
    const sent = { at: one.at, before: await sender.known(ref) };
    return advance(ref, draft, nextVersion(draft, 'done', { sentences: [answer.sentence], sent }));
  }

  /** Returns to the previous page, keeping the inputs. */
  const back = onPage(async ({ draft, filled, goTo }) => {
    if (draft.step === 'check') return goTo(nextVersion(draft, 'work'));
    const taken = await filled();
    await goTo(nextVersion(taken, 'job', { problems: [...workProblemsOf(draft), ...taken.problems] }));
  });

  const discard = onPage(async ({ click, draft, view }) => {
    await drafts.discard(click.workspace, draft.id);
    await modals.replace(click, view, note(draft, [discardedSentence]));
  });

  /** While sending: shows the outcome; or, as long as nothing was sent, returns to the form and prevents sending. */
  const lookAgain = onPage(async ({ click, ref, draft, view, show, goTo }) => {
    if (draft.step === 'unknown') return deliver(click, view.id, await drafts.lookUp(ref, draft));
    if (draft.step !== 'check') return show(draft);
    await goTo(nextVersion(draft, 'check', { problems: [notSentProblem] }));
  });

  /** Returns to the form from an unknown outcome with a warning, or while files are being read. */
  const backToForm = onPage(async ({ draft, show, goTo }) => {
    if (draft.step === 'unknown')
      return goTo(nextVersion(draft, 'check', { problems: [sendAgainProblem(draft)] }));
    if (draft.step === 'done' || draft.step === 'check') return show(draft);
    await goTo(nextVersion(draft, draft.step));
  });

  /** Opens the form again as it was left, from a message. */
  const reopen = entry<Click, void>(async ({ workspace, member, open, value, answer, authorize }) => {
    const draft = await drafts.load(workspace, value);
    await authorize({ ...preparing, account: draft?.account });
    if (draft?.member !== member) return answer(notice(goneSentence));
    await open(draftView(draft));
  });

  const feature: Feature = {
    commands: [
      {
        command: '/campaign',
        word: 'new',
        usage: '',
        help: 'Opens a form for a new campaign.',
        needs: 'create',
        run: start,
      },
    ],
    shortcuts: { new_campaign: entry(start) },
    clicks: {
      'campaign.create.discard': discard,
      'campaign.create.look': lookAgain,
      'campaign.create.again': backToForm,
      'campaign.create.open': reopen,
      'campaign.new': entry(start),
      'campaign.create.category': categoryChosen,
      'campaign.create.description': workChanged((draft) => draft),
      'campaign.create.file.drop': workChanged(withRemoved),
      'campaign.create.back': back,
      'campaign.create.confirm': confirmed,
    },
    submissions: { 'campaign.create.job': jobSubmitted, 'campaign.create.work': workSubmitted },
    typings: { 'campaign.create.category': entry(categoriesFor) },
  };

  return { feature, approved: createApproved(drafts) };
}

/** Returns the problems of the second page, which are kept while the first page is corrected. */
function workProblemsOf({ problems }: CampaignDraft): Problem[] {
  return problems.filter((problem) => pageOf(problem) === 'work');
}

/** Returns the errors beside the inputs of a page. */
function errorsAt({ values }: OpenView, problems: readonly Problem[]): Record<string, string> {
  const inputs = Object.keys(values);
  return Object.fromEntries(
    problems.map(({ field = '', text }) => [inputs.find((id) => id.split('.')[0] === field) ?? field, text]),
  );
}

/** Returns the spending of creating a checked draft's campaign. */
function createAct({ id, version, values }: CampaignDraft): ActOfKind<'create'> {
  const { title, availablePositions, paymentPerTask } = toCampaign(values, {});
  return {
    kind: 'create',
    title,
    positions: availablePositions,
    payment: paymentPerTask.toFixed(),
    draft: id,
    // The version in which it is kept until the approval.
    version: version + 1,
  };
}

/** Creates the approved act of creating a campaign: sends its draft, once. */
export function createApproved(
  drafts: Pick<Drafts, 'find' | 'load' | 'lookUp' | 'sendOnce'>,
): ApprovedAct<ActOfKind<'create'>> {
  return {
    // What it costs is part of the draft.
    current: async (_, act) => act,

    // Sending a draft writes its own entries.
    claim: () => undefined,

    async perform(ref, act, _, by) {
      const draft = await drafts.load(ref.workspace, act.draft);
      if (draft === undefined) return { kind: 'canceled', sentence: draftGone };
      if (!isAsAsked(draft, act)) return { kind: 'canceled', sentence: changedSince };
      // It may have been created already, and Redis has lost that.
      const found = await drafts.find(ref, draft);
      if (found === undefined) return { kind: 'unanswered', sentence: '' };
      if (found.isThere) return { kind: 'done', sentence: found.sentence };
      return outcomeOf(await drafts.sendOnce(ref, draft, by));
    },

    async settle(ref, act) {
      const draft = await drafts.load(ref.workspace, act.draft);
      if (draft === undefined) return { kind: 'unknown', sentence: draftGone };
      // Nothing was sent, so it is retried.
      if (isAsAsked(draft, act)) return { kind: 'unanswered', sentence: '' };
      return outcomeOf(draft.step === 'unknown' ? await drafts.lookUp(ref, draft) : draft);
    },
  };
}

/**
 * Returns whether a draft is the requested one, and nobody was told since that nothing was created. If the process died
 * before keeping it, it is one version older.
 */
function isAsAsked({ version, step }: CampaignDraft, act: ActOfKind<'create'>): boolean {
  return (version === act.version && step === 'done') || (version === act.version - 1 && step === 'check');
}

function outcomeOf({ step, sentences, problems }: CampaignDraft): ActOutcome {
  if (step === 'done' || step === 'unknown') return { kind: step, sentence: sentences.join(' ') };
  return { kind: 'refused', sentence: problems.map(({ text }) => text).join(' ') };
}
