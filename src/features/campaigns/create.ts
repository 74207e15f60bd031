import { isDeepStrictEqual } from 'node:util';
import type { ActOfKind } from '../../domain/approval.ts';
import { normalizeSpace } from '../../domain/evidence/texts.ts';
import type { Money } from '../../domain/money.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { type ActOutcome, type ApprovedAct, createSpending } from '../../kit/spending.ts';
import { sentenceFor } from '../../marketplace/errors.ts';
import {
  type CallFailure,
  incompleteAnswer,
  isCallFailure,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import type { Click, Feature, Opener, OpenView, Typing } from '../../slack/feature.ts';
import { type Attachment, chosen } from '../../slack/form-values.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import {
  type Drafts,
  nextVersion,
  type OpenFiles,
  type Problem,
  tryFile,
  withoutFile,
  withRemoved,
} from '../../ui/draft.ts';
import { createDraftForm } from '../../ui/draft-form.ts';
import { sendingView } from '../../ui/draft-form.view.ts';
import {
  categoryOptions,
  changedSince,
  createdSentences,
  draftGone,
  draftView,
  firstPageGone,
  foundSentence,
  jobView,
  noCategories,
  readingView,
  wording,
  workView,
} from './create.view.ts';
import {
  type CampaignDraft,
  createCatalogue,
  emptyFields,
  type FieldName,
  Fields,
  firstPageOf,
  jobProblems,
  pageOf,
  proofsOf,
  templateOf,
  toCampaign,
  withInputs,
  workProblems,
} from './create-fields.ts';
import { readTemplate } from './template.ts';
import { clockToleranceMs } from './words.ts';

/** Timeout of the categories: while somebody waits for them, and beforehand. */
const waitMs = 2_000;
const loadMs = 15_000;

/** Creates `/campaign new`, with its button and shortcut: a form of three pages. */
export function createCreateFeature(context: Modules) {
  const { campaigns, clock, jobs, slack, log } = context;
  const catalogueOf = createCatalogue(context);
  const spending = createSpending(context);
  const sender = createCampaignSender(context);

  /** Returns the fields merged with a page's inputs. */
  async function valuesIn(ref: AccountRef, { values }: CampaignDraft, inputs: OpenView['values']) {
    const next = withInputs(values, inputs);
    const id = chosen(inputs, 'category');
    if (!('category' in inputs) || id === values.category?.id) return next;
    const listed = id === undefined ? [] : await catalogueOf(ref, waitMs);
    const category = listed.flatMap(({ categories }) => categories).find((one) => one.id === id);
    return { ...next, category };
  }

  const form = createDraftForm(context, {
    name: 'new-campaign',
    needs: 'create',
    isAsking: true,
    values: Fields,
    wording,
    firstPage: 'job',
    sendPage: 'check',
    emptyValues: emptyFields,
    // From the second page on.
    isWorthResuming: ({ version }) => version > 0,
    view: draftView,
    valuesIn,
    ...sender,
    pageOf: firstPageOf,
  });
  const { advance, entry, onPage, onSubmit } = form;

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

  const start = async (opener: Opener & { channel?: ChannelId }) => {
    const ref = await form.begin(opener);
    await form.start(opener, ref, { channel: opener.channel });
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
    const catalogue = await catalogueOf(await form.begin(typing), waitMs).catch(notLoaded);
    return catalogue?.length ? categoryOptions(catalogue, typing.text) : [noCategories];
  }

  /** Refreshes the parts of the first page that depend on changed inputs. */
  const jobChanged = onPage(async ({ click, ref, draft, filled, view }) => {
    const { values } = await filled();
    const show = (one: CampaignDraft) => {
      const isUnchanged = ({ field }: Problem) =>
        isDeepStrictEqual(one.values[field as keyof Fields], values[field as keyof Fields]);
      return form.update(
        click,
        view,
        jobView({ ...one, values, problems: one.problems.filter(isUnchanged) }),
      );
    };
    await show(draft);
    // Slack forgets the errors of an answer that came meanwhile.
    const latest = await form.load(ref.workspace, draft.id);
    if (latest && latest.problems.length > draft.problems.length) await show(latest);
  });

  const jobSubmitted = onSubmit(async ({ submission, ref, draft, filled, goTo }) => {
    const next = await filled();
    const problems = jobProblems(next.values);
    const kept = workProblemsOf(draft);
    if (problems.length === 0) return goTo(nextVersion(next, 'work', { problems: kept }));
    await advance(ref, draft, { ...next, problems: [...kept, ...problems] });
    return { errors: errorsAt(submission, problems) };
  });

  /** Changes the second page's layout: another kind of description, more inputs, a removed file. */
  const workChanged = (
    change: (filled: CampaignDraft, before: CampaignDraft, value: string) => CampaignDraft,
  ) =>
    onPage(async ({ click, ref, draft, filled, view }) => {
      const shown = change(await filled(), draft, click.value);
      const { isMine } = await form.replace(ref, draft, shown);
      if (isMine) await form.update(click, view, workView(shown));
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
    return form.inBackground(submission, readingView(draft), async () => {
      // A member who returned to the form meanwhile stays there.
      const { draft: read, isMine } = await form.replace(ref, draft, await withTemplate(ref, next, csv));
      return isMine ? read : undefined;
    });
  });

  /** Creates the campaign that the last page shows. */
  const confirmed = onPage(async ({ click, ref, draft, view, show }) => {
    if (draft.step !== 'check') return show(draft);
    await click.authorize({ account: ref.account, isAsking: true });
    // Shown first: from there it can be looked up, should the process die.
    await form.update(click, view, sendingView(wording, draft));
    if (await jobs.claimOnce(click.workspace, `new-campaign ${view.id} ${draft.version}`))
      await form.deliver(click, view.id, await sendOrAsk(click, ref, draft));
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
      const sent = await form.sendOnce(ref, draft, { by: draft.member, how: 'form' }, answer.keep);
      if (sent.step !== 'done' && sent.step !== 'unknown') await answer.giveBack();
      return sent;
    }
    if (answer.kind === 'refused')
      return advance(ref, draft, nextVersion(draft, 'check', { problems: [{ text: answer.sentence }] }));
    // Before it is sent, it is looked up.
    const sent = { at: one.at, before: await sender.sameTitled(ref, draft) };
    return advance(ref, draft, nextVersion(draft, 'done', { sentences: [answer.sentence], sent }));
  }

  /** Returns to the previous page, keeping the inputs. */
  const back = onPage(async ({ draft, filled, goTo }) => {
    if (draft.step === 'check') return goTo(nextVersion(draft, 'work'));
    const taken = await filled();
    await goTo(nextVersion(taken, 'job', { problems: [...workProblemsOf(draft), ...taken.problems] }));
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
      ...form.clicks,
      'campaign.new': entry(start),
      'campaign.create.category': jobChanged,
      'campaign.create.payment': jobChanged,
      'campaign.create.positions': jobChanged,
      'campaign.create.description': workChanged((draft) => draft),
      'campaign.create.file.drop': workChanged(withRemoved),
      'campaign.create.advanced': workChanged(({ values, ...draft }) => ({
        ...draft,
        values: { ...values, isAdvanced: true },
      })),
      'campaign.create.back': back,
      'campaign.create.confirm': confirmed,
    },
    submissions: { 'campaign.create.job': jobSubmitted, 'campaign.create.work': workSubmitted },
    typings: { 'campaign.create.category': entry(categoriesFor) },
  };

  return { feature, approved: createApproved(form) };
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

/** Includes uploads of up to 20 MB. */
const sendTimeoutMs = 90_000;
const findTimeoutMs = 15_000;

/** Creates the sending of drafts, and the check whether one became a campaign. */
export function createCampaignSender({ campaigns, clock, tasks, marketplace, log }: Modules) {
  /** Stores data the marketplace does not report later. The campaign exists even if this fails. */
  async function storeCreated(ref: AccountRef, campaign: CampaignId, draft: CampaignDraft) {
    const { ttr, work } = draft.values;
    const columns = templateOf(draft)?.columns;
    // In more detail than the marketplace lists it.
    const brief = { work, proofs: proofsOf(draft.values), ...(columns ? { columns } : {}) };
    const stored = Promise.all([
      tasks.timesToRate.put(ref, campaign, Number(ttr)),
      campaigns.briefs.storeCreated(ref, campaign, brief, draft.id),
    ]);
    await stored.catch((error: unknown) => {
      log.warn({ err: error, campaign }, 'what was sent with a campaign not stored');
    });
  }

  /** Returns the ids of known campaigns with the title of a draft. */
  async function sameTitled(ref: AccountRef, { values }: CampaignDraft): Promise<CampaignId[]> {
    const known = await campaigns.all(ref);
    return known.filter(({ title }) => isSameTitle(title, values.title)).map(({ id }) => id);
  }

  return {
    sameTitled,

    async prepare(ref: AccountRef, draft: CampaignDraft, files: OpenFiles) {
      const input = toCampaign(draft.values, files);
      const { title, availablePositions: positions, paymentPerTask } = input;
      const client = await marketplace.of(ref);
      return {
        before: await sameTitled(ref, draft),
        entry: {
          what: 'create',
          after: `${title}: ${positions === 1 ? '1 position' : `${positions} positions`}`,
          money: paymentPerTask.times(positions).toFixed(),
        } as const,
        async send() {
          const made = await client.createCampaign(input, { deadlineMs: sendTimeoutMs });
          await storeCreated(ref, made.campaignId, draft);
          return {
            sentences: createdSentences(draft, made),
            end: { campaign: made.campaignId, ...(made.cost ? { money: made.cost.toFixed() } : {}) },
          };
        },
      };
    },

    async find(ref: AccountRef, draft: CampaignDraft) {
      const { at, before } = draft.sent ?? { at: clock.now(), before: [] };
      const client = await marketplace.of(ref);
      let isComplete = true;
      const onIncomplete = () => {
        isComplete = false;
      };
      const listed = await client.listCampaignsExtended({}, { deadlineMs: findTimeoutMs, onIncomplete });
      const found = listed.filter(
        ({ id, title, createdAt }) =>
          isSameTitle(title, draft.values.title) &&
          !before.includes(id) &&
          (createdAt === undefined || createdAt.getTime() >= at - clockToleranceMs),
      );
      if (found.length === 0 && !isComplete) throw incompleteAnswer('listCampaignsExtended');
      const [only] = found.length === 1 ? found : [];
      if (only) await storeCreated(ref, only.id, draft);
      const end = only ? { campaign: only.id } : {};
      return { isThere: found.length > 0, sentence: foundSentence(found), end };
    },

    refused: ({ values }: CampaignDraft, error: CallFailure): Problem[] =>
      error instanceof MarketplaceError
        ? refusalProblems(error, toCampaign(values, {}).paymentPerTask)
        : [{ text: marketplaceErrorText(error) }],
  };
}

function isSameTitle(a: string, b: string): boolean {
  return normalizeSpace(a) === normalizeSpace(b);
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
  drafts: Pick<Drafts<Fields>, 'find' | 'load' | 'lookUp' | 'sendOnce'>,
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

/** The inputs that the tokens named by the API mean. */
const fieldOfCode: Readonly<Partial<Record<MarketplaceErrorCode, FieldName>>> = {
  POSITIONS: 'positions',
  AUTO_RATE: 'autoRate',
};

/** Maps a refusal of new_campaign to problems: at the named field, else at the top. */
export function refusalProblems(error: MarketplaceError, payment: Money): Problem[] {
  const known: Problem[] = [];
  if (error.minPaymentPerTask?.gt(payment))
    known.push({ field: 'payment', text: sentenceAs(error, 'PAYMENT_TOO_LOW') });
  const unknown: string[] = [];
  for (const [index, token] of [...error.errorsList, ...error.errors].entries()) {
    const code = error.problems[index];
    const field = code && fieldOfCode[code];
    if (field) known.push({ field, text: sentenceAs(error, code) });
    else unknown.push(`“${inline(token, 200)}”`);
  }
  if (unknown.length > 0) {
    known.push({
      text: `The marketplace did not accept the campaign, and says: ${unknown.join(', ')}. Correct it and press Create again.`,
    });
  }
  return known.length > 0 ? known : [{ text: marketplaceErrorText(error) }];
}

const sentenceAs = (error: MarketplaceError, code: MarketplaceErrorCode): string =>
  sentenceFor(new MarketplaceError({ ...error, code }), date, escaped);
