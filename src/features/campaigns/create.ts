import { isDeepStrictEqual } from 'node:util';
import type { ActOfKind } from '../../domain/approval.ts';
import type { CreatedBrief } from '../../domain/campaign.ts';
import { normalizeSpace } from '../../domain/evidence/texts.ts';
import type { Money } from '../../domain/money.ts';
import type { AccountRef, CampaignId, ChannelId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ActOutcome, ApprovedAct } from '../../kit/spending.ts';
import { sentenceFor } from '../../marketplace/errors.ts';
import {
  type CallFailure,
  incompleteAnswer,
  isCallFailure,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import type {
  Click,
  Feature,
  Opener,
  OpenView,
  Submission,
  SubmissionAnswer,
  Typing,
} from '../../slack/feature.ts';
import { attached, chosen } from '../../slack/form-values.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import {
  fileInputId,
  nextVersion,
  type OpenFiles,
  type Problem,
  type SentDraft,
  tryFile,
  withoutFile,
} from '../../ui/draft.ts';
import { createDraftForm } from '../../ui/draft-form.ts';
import { goneSentence, note } from '../../ui/draft-form.view.ts';
import {
  categoryOptions,
  changedSince,
  createdSentences,
  draftGone,
  draftView,
  foundSentence,
  jobView,
  lostPageProblem,
  noCategories,
  readingView,
  wording,
  workView,
} from './create.view.ts';
import {
  type CampaignDraft,
  campaignDraft,
  createCatalogue,
  emptyFields,
  type FieldName,
  type Fields,
  firstPageOf,
  jobInputs,
  jobProblems,
  type Page,
  pageOf,
  parsePayment,
  parseWholeNumber,
  search,
  templateOf,
  toCampaign,
  workInputs,
  workProblems,
} from './create-fields.ts';
import { readTemplate } from './template.ts';

const fileNames = ['file', 'csv'] as const;
/** Timeout of the categories: while somebody waits for them, and beforehand. */
const waitMs = 2_000;
const loadMs = 15_000;

/** Creates `/campaign new`, with its button and shortcut: a form of three pages. */
export function createCreateFeature(context: Modules) {
  const { campaigns, slack, log } = context;
  const catalogueOf = createCatalogue(context);

  /** Returns the fields merged with the first page's inputs. */
  async function jobValues(
    ref: AccountRef,
    { values }: CampaignDraft,
    inputs: OpenView['values'],
  ): Promise<Fields> {
    const id = chosen(inputs, 'category');
    const isSame = values.category?.id === id;
    const listed = isSame || id === undefined ? [] : await catalogueOf(ref, waitMs);
    const found = listed.flatMap(({ categories }) => categories).find((one) => one.id === id);
    return jobInputs({ ...values, category: isSame ? values.category : found }, inputs);
  }

  const form = createDraftForm(context, {
    name: 'new-campaign',
    needs: 'create',
    codec: campaignDraft,
    wording,
    firstPage: 'job',
    sendPage: 'check',
    emptyValues: emptyFields,
    // From the second page on.
    isWorthResuming: ({ version }) => version > 0,
    view: async (_, draft) => draftView(draft),
    async valuesIn(ref, draft, inputs) {
      if (draft.step === 'job') return jobValues(ref, draft, inputs);
      return draft.step === 'work' ? workInputs(draft.values, inputs) : draft.values;
    },
    filesToSend: ({ values }) => (values.description === 'UNIQUE' ? fileNames : ['file']),
    ...createCampaignSender(context),
    spendingOf: createAct,
    pageOf: firstPageOf,
  });
  const { attach, current, entry, goTo, advance, onPage, save } = form;

  /** Reads the start of the CSV template, unless already done. */
  async function withTemplate(ref: AccountRef, draft: CampaignDraft): Promise<CampaignDraft> {
    const { csv } = draft.files;
    if (csv === undefined) return nextVersion(draft, 'check');
    const rows = new Map<string, readonly string[]>();
    const template = await tryFile('csv', async () => {
      const { stream } = await slack.messengerOf(ref.workspace).attachments.open(csv);
      return readTemplate(stream, rows);
    });
    if ('text' in template) return nextVersion(withoutFile(draft, 'csv'), 'work', { problems: [template] });
    await campaigns.briefs.storeDraftRows(ref, draft.id, rows);
    const values = { ...draft.values, template: { ...template, of: csv.id } };
    return nextVersion({ ...draft, values }, 'check');
  }

  const start = async ({ workspace, member, open, channel, authorize }: Opener & { channel?: ChannelId }) => {
    const ref = await authorize({ isPreparing: true, isAsking: true });
    const draft = await form.newDraft({ workspace, member, channel }, ref);
    await open(draftView(draft));
    await save(ref, draft);
    // People find them at hand once they open the select, also while the marketplace is slow.
    await catalogueOf(ref, loadMs).catch(notLoaded);
  };

  function notLoaded(error: unknown): undefined {
    if (!isCallFailure(error)) throw error;
    log.warn({ err: error }, 'categories not loaded');
    return undefined;
  }

  /** Returns the categories that match typed text. */
  async function categoriesFor({ text, authorize }: Typing) {
    const ref = await authorize({ isPreparing: true, isAsking: true });
    const catalogue = await catalogueOf(ref, waitMs).catch(notLoaded);
    return catalogue?.length ? categoryOptions(search(catalogue, text)) : [noCategories];
  }

  /** Refreshes the parts of the first page that depend on changed inputs. */
  const jobChanged = onPage(async ({ click, ref, draft, view }) => {
    const values = await jobValues(ref, draft, view.values);
    const show = async (one: CampaignDraft) => {
      const problems = one.problems.filter((problem) => isUnchanged(problem, one.values, values));
      await form.replace(click, view, jobView({ ...one, values, problems }));
    };
    await show(draft);
    // Slack forgets the errors of an answer that came meanwhile.
    const { draft: latest } = await current(click, view);
    if (latest.problems.length > draft.problems.length) await show(latest);
  });

  async function jobSubmitted(submission: Submission): Promise<SubmissionAnswer> {
    const { ref, draft, isOld } = await current(submission, submission);
    if (isOld) return form.answerWith(ref, draft);
    const values = await jobValues(ref, draft, submission.values);
    const problems = jobProblems(values);
    if (problems.length > 0) {
      await save(ref, { ...draft, values, problems: [...workProblemsOf(draft), ...problems] });
      return { errors: errorsOf(draft, problems) };
    }
    return goTo(ref, draft, nextVersion({ ...draft, values }, 'work', { problems: workProblemsOf(draft) }));
  }

  /** Changes the second page's layout: another kind of description, another number of proofs, a removed file. */
  const workChanged = onPage(async ({ click, ref, draft, view }) => {
    const values = workInputs(draft.values, view.values);
    const typed = { ...draft, values };
    const { draft: taken, problems } = await attach(ref.workspace, typed, view.values, fileNames);
    const shown = { ...withChange(taken, draft, click), problems };
    const current = await form.advanceIfCurrent(ref, draft, shown);
    if (current !== undefined) await form.replace(click, view, workView(current));
  });

  async function workSubmitted(submission: Submission): Promise<SubmissionAnswer> {
    const { workspace, values: inputs } = submission;
    const { ref, draft, isLost, isOld } = await current(submission, submission);
    if (isOld) return form.answerWith(ref, draft);
    const values = workInputs(draft.values, inputs);
    const hasCsv = [...attached(inputs, fileInputId(draft, 'csv')), draft.files.csv].some(Boolean);
    const mistakes = isLost ? [] : workProblems(values, hasCsv);
    if (mistakes.length > 0) return { errors: errorsOf(draft, mistakes) };
    const { draft: taken, problems } = await attach(workspace, { ...draft, values }, inputs, fileNames);
    if (isLost) return goTo(ref, draft, nextVersion(taken, 'job', { problems: [lostPageProblem] }));
    if (problems.length > 0) return goTo(ref, draft, nextVersion(taken, 'work', { problems }));
    if (values.description === 'SAME' || templateOf(taken) !== undefined)
      return goTo(ref, draft, nextVersion(taken, 'check'));
    // Stored before the page is replaced: reading takes a while, and a process may die. The file inputs keep their
    // ids, so that Slack's redelivery is handled the same way.
    await save(ref, { ...taken, uploads: draft.uploads, problems: [] });
    return form.inBackground(submission, ref, readingView(draft), async () => {
      const read = await withTemplate(ref, taken);
      // A member who returned to the form meanwhile stays there.
      return form.advanceIfCurrent(ref, draft, read);
    });
  }

  /** Creates the campaign that the last page shows. */
  const confirmed = onPage(async (page) => {
    const { click, draft, view, show, isLost } = page;
    if (isLost) return form.replace(click, view, note(wording, draft, [goneSentence(wording)]));
    await (draft.step === 'check' ? form.sendConfirmed(page) : show(draft));
  });

  /** Returns to the previous page, keeping the inputs. */
  const back = onPage(async ({ ref, draft, view, show }) => {
    if (draft.step === 'check') return show(await advance(ref, draft, nextVersion(draft, 'work')));
    const values = workInputs(draft.values, view.values);
    const taken = await attach(ref.workspace, { ...draft, values }, view.values, fileNames);
    const problems = [...workProblemsOf(draft), ...taken.problems];
    await show(await advance(ref, draft, nextVersion(taken.draft, 'job', { problems })));
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
      'campaign.create.description': workChanged,
      'campaign.create.proof.add': workChanged,
      'campaign.create.proof.drop': workChanged,
      'campaign.create.file.drop': workChanged,
      'campaign.create.advanced': workChanged,
      'campaign.create.back': back,
      'campaign.create.confirm': confirmed,
    },
    submissions: { 'campaign.create.job': entry(jobSubmitted), 'campaign.create.work': entry(workSubmitted) },
    typings: { 'campaign.create.category': entry(categoriesFor) },
  };

  /** Performs an approved creation. */
  return { feature, approved: createApproved(form) };
}

/** Returns the problems of the second page, which are kept while the first page is corrected. */
function workProblemsOf({ problems }: CampaignDraft): Problem[] {
  return problems.filter((problem) => pageOf(problem) === 'work');
}

/** Returns whether the input that a problem is about still has the value that it is about. */
function isUnchanged({ field }: Problem, before: Fields, after: Fields): boolean {
  const name = field as keyof Fields;
  return isDeepStrictEqual(before[name], after[name]);
}

/** @param before the draft before the page's files were accepted */
function withChange(draft: CampaignDraft, before: CampaignDraft, { actionId, value }: Click): CampaignDraft {
  const { values } = draft;
  switch (actionId) {
    case 'campaign.create.proof.add':
      return { ...draft, values: { ...values, proofs: [...values.proofs, ''].slice(0, 3) } };
    case 'campaign.create.proof.drop':
      return {
        ...draft,
        values: { ...values, proofs: values.proofs.slice(0, Math.max(1, values.proofs.length - 1)) },
      };
    case 'campaign.create.advanced':
      return { ...draft, values: { ...values, isAdvanced: true } };
    case 'campaign.create.file.drop':
      // Another file attached meanwhile has already replaced it.
      return draft.files[value] === before.files[value] ? withoutFile(draft, value) : draft;
    default:
      return draft;
  }
}

/** Returns the errors of the inputs. */
function errorsOf(draft: CampaignDraft, problems: readonly Problem[]): Record<string, string> {
  return Object.fromEntries(
    problems.flatMap(({ field, text }) => {
      if (field === undefined) return [];
      return [[fileNames.some((name) => name === field) ? fileInputId(draft, field) : field, text]];
    }),
  );
}

/** Includes uploads of up to 20 MB. */
const sendTimeoutMs = 90_000;
const findTimeoutMs = 15_000;

/** Clocks differ, and the marketplace's datetimes lag behind. */
const clockToleranceMs = 600_000;

/** Creates the sending of drafts, and the check whether one became a campaign. */
export function createCampaignSender({ campaigns, tasks, marketplace, log, clock }: Modules) {
  /** Stores data the marketplace does not report later. The campaign exists even if this fails. */
  async function storeCreated(ref: AccountRef, campaign: CampaignId, draft: CampaignDraft) {
    const stored = Promise.all([
      tasks.timesToRate.put(ref, campaign, Number(draft.values.ttr)),
      campaigns.briefs.storeCreated(ref, campaign, briefOf(draft), draft.id),
    ]);
    await stored.catch((error: unknown) => {
      log.warn({ err: error, campaign }, 'what was sent with a campaign not stored');
    });
  }

  return {
    async prepare(ref: AccountRef, draft: CampaignDraft, files: OpenFiles) {
      const input = toCampaign(draft.values, files);
      const client = await marketplace.of(ref);
      const known = await campaigns.all(ref);
      return {
        before: known.filter(({ title }) => isSameTitle(title, input.title)).map(({ id }) => id),
        entry: {
          what: 'create',
          after: `${input.title}: ${input.availablePositions === 1 ? '1 position' : `${input.availablePositions} positions`}`,
          money: input.paymentPerTask.times(input.availablePositions).toFixed(),
        } as const,
        async send(): Promise<SentDraft> {
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
      const listed = await client.listCampaignsExtended(
        {},
        {
          deadlineMs: findTimeoutMs,
          onIncomplete() {
            isComplete = false;
          },
        },
      );
      const found = listed.filter(
        ({ id, title, createdAt }) =>
          isSameTitle(title, draft.values.title) &&
          !before.includes(id) &&
          (createdAt === undefined || createdAt.getTime() >= at - clockToleranceMs),
      );
      if (found.length === 0 && !isComplete) throw incompleteAnswer('listCampaignsExtended');
      const [only, ...others] = found;
      if (only && others.length === 0) await storeCreated(ref, only.id, draft);
      const end = only && others.length === 0 ? { campaign: only.id } : {};
      return { isThere: found.length > 0, sentence: foundSentence(found), end };
    },

    refused: ({ values }: CampaignDraft, error: CallFailure): Problem[] =>
      error instanceof MarketplaceError
        ? refusalProblems(error, toCampaign(values, {}).paymentPerTask)
        : [{ text: marketplaceErrorText(error) }],
  };
}

/** Returns the campaign's instructions, in more detail than the marketplace lists them. */
function briefOf(draft: CampaignDraft): CreatedBrief {
  const { work, proofs, description } = draft.values;
  const columns = description === 'UNIQUE' ? templateOf(draft)?.columns : undefined;
  return { work, proofs, ...(columns ? { columns } : {}) };
}

function isSameTitle(a: string, b: string): boolean {
  return normalizeSpace(a) === normalizeSpace(b);
}

/** Returns the spending of creating a checked draft's campaign. */
export function createAct({ id, version, values }: CampaignDraft): ActOfKind<'create'> {
  const payment = parsePayment(values.payment);
  return {
    kind: 'create',
    title: values.title,
    positions: parseWholeNumber(values.positions) ?? 0,
    payment: 'amount' in payment ? payment.amount.toFixed() : '0',
    draft: id,
    // The version in which it is kept until the approval.
    version: version + 1,
  };
}

/** The parts of the form that send drafts. */
type Sender = Pick<ReturnType<typeof createDraftForm<Page, Fields>>, 'load' | 'sendOnce' | 'lookUp' | 'find'>;

/** Creates the approved act of creating a campaign: sends its draft, once. */
export function createApproved({ load, sendOnce, lookUp, find }: Sender): ApprovedAct<ActOfKind<'create'>> {
  return {
    // What it costs is part of the draft.
    current: async (_, act) => act,

    // Sending a draft writes its own entries.
    claim: () => undefined,

    async perform(ref, act, _, by) {
      const draft = await load(ref.workspace, act.draft);
      if (draft === undefined) return { kind: 'canceled', sentence: draftGone };
      if (!isAsAsked(draft, act)) return { kind: 'canceled', sentence: changedSince };
      // It may have been created already, and Redis has lost that.
      const found = await find(ref, draft).catch((error: unknown) => {
        if (!isCallFailure(error)) throw error;
        return undefined;
      });
      if (found === undefined) return { kind: 'unanswered', sentence: '' };
      if (found.isThere) return { kind: 'done', sentence: found.sentence };
      return outcomeOf(await sendOnce(ref, draft, by));
    },

    async settle(ref, act) {
      const draft = await load(ref.workspace, act.draft);
      if (draft === undefined) return { kind: 'unknown', sentence: draftGone };
      // Nothing was sent, so it is retried.
      if (isAsAsked(draft, act)) return { kind: 'unanswered', sentence: '' };
      return outcomeOf(draft.step === 'unknown' ? await lookUp(ref, draft) : draft);
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
  const paysTooLittle = error.minPaymentPerTask?.gt(payment) === true;
  const known: Problem[] = paysTooLittle
    ? [{ field: 'payment', text: sentenceAs(error, 'PAYMENT_TOO_LOW') }]
    : [];
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

function sentenceAs(error: MarketplaceError, code: MarketplaceErrorCode): string {
  const { operation, text, details, minPaymentPerTask } = error;
  const minimum = minPaymentPerTask === undefined ? {} : { minPaymentPerTask };
  return sentenceFor(new MarketplaceError({ operation, code, text, details, ...minimum }), date, escaped);
}
