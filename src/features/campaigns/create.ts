import { isDeepStrictEqual } from 'node:util';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { isCallFailure } from '../../marketplace/index.ts';
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
import { fileInputId, nextVersion, type Problem, tryFile, withoutFile } from '../../ui/draft.ts';
import { createDraftForm } from '../../ui/draft-form.ts';
import { goneSentence, note } from '../../ui/draft-form.view.ts';
import { createCatalogue, search } from './catalogue.ts';
import {
  categoryOptions,
  draftView,
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
  emptyFields,
  type Fields,
  firstPageOf,
  jobInputs,
  jobProblems,
  pageOf,
  templateOf,
  workInputs,
  workProblems,
} from './create-fields.ts';
import { createAct, createApproved, createCampaignSender } from './create-send.ts';
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
