import type { ModalView } from '@slack/types';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Click, Feature, Opener, Submission, SubmissionAnswer, Typing } from '../../slack/feature.ts';
import { attached } from '../../slack/form-values.ts';
import { updateModalIfOpen } from '../../slack/interactions.ts';
import { fileInputId, nextVersion, type Problem, tryFile, withoutFile } from '../../ui/draft.ts';
import { createDraftForm } from '../../ui/draft-form.ts';
import { goneSentence } from '../../ui/draft-form.view.ts';
import { type Catalogue, categoryOf, createCatalogues, search } from './catalogue.ts';
import {
  categoryOptions,
  draftView,
  jobView,
  loadingView,
  lostPageProblem,
  needsCatalogue,
  noCategories,
  notLoadedView,
  readingView,
  wording,
  workView,
} from './create.view.ts';
import {
  allProblems,
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
const loadTimeoutMs = 15_000;

/** Creates `/campaign new`, with its button and shortcut: a form of three pages. */
export function createCreateFeature(context: Modules) {
  const { campaigns, slack } = context;
  const catalogues = createCatalogues(context);

  /** Returns a draft's modal, or one that says why the required categories are unavailable. */
  async function viewOf(
    draft: CampaignDraft,
    catalogue: () => Promise<Catalogue>,
    render = draftView,
  ): Promise<ModalView> {
    try {
      return render(draft, needsCatalogue(draft) ? await catalogue() : []);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return notLoadedView(draft, marketplaceErrorText(error));
    }
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
    view: async (ref, draft) => viewOf(draft, () => catalogues.get(ref)),
    async valuesIn(_, { step, values }, inputs) {
      if (step === 'job') return jobInputs(values, inputs);
      return step === 'work' ? workInputs(values, inputs) : values;
    },
    filesToSend: ({ values }) => (values.description === 'UNIQUE' ? fileNames : ['file']),
    ...createCampaignSender(context, catalogues),
    spendingOf: createAct,
    pageOf: firstPageOf,
  });
  const { attach, current, entry, goTo, advance, onPage, save } = form;

  /** Shows the form once its categories are loaded. If it was closed meanwhile, nothing is lost. */
  async function load(ref: AccountRef, draft: CampaignDraft, viewId: string): Promise<void> {
    const view = await viewOf(
      draft,
      () => catalogues.fetch(ref, loadTimeoutMs),
      (loaded, catalogue) =>
        needsCatalogue(loaded) && catalogue.length === 0
          ? notLoadedView(loaded, noCategories)
          : draftView(loaded, catalogue),
    );
    await updateModalIfOpen(slack.messengerOf(ref.workspace), viewId, view);
  }

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
    const catalogue = await catalogues.cached(ref);
    const viewId = await open(catalogue ? draftView(draft, catalogue) : loadingView(draft));
    await save(ref, draft);
    if (catalogue === undefined) await load(ref, draft, viewId);
  };

  /** Refreshes the parts of the first page that depend on changed inputs. */
  const jobChanged = onPage(async ({ click, ref, draft, view }) => {
    const values = jobInputs(draft.values, view.values);
    const show = async (one: CampaignDraft) => {
      const problems = one.problems.filter((problem) => isUnchanged(problem, one.values, values));
      const shown = { ...one, values, problems };
      await form.replace(click, view, await viewOf(shown, () => catalogues.get(ref), jobView));
    };
    await show(draft);
    // Slack forgets the errors of an answer that came meanwhile.
    const { draft: latest } = await current(click, view);
    if (latest.problems.length > draft.problems.length) await show(latest);
  });

  async function jobSubmitted(submission: Submission): Promise<SubmissionAnswer> {
    const { ref, draft, isOld } = await current(submission, submission);
    if (isOld) return form.answerWith(ref, draft);
    const values = jobInputs(draft.values, submission.values);
    const problems = jobProblems(values, categoryOf(await catalogues.get(ref), values.category));
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
    const { click, ref, draft, view, show, isLost } = page;
    if (isLost) return form.replace(click, view, notLoadedView(draft, goneSentence(wording)));
    if (draft.step !== 'check') return show(draft);
    if (draft.account === ref.account) {
      const problems = allProblems(draft, categoryOf(await catalogues.get(ref), draft.values.category));
      if (problems.length > 0)
        return show(await advance(ref, draft, nextVersion(draft, firstPageOf(problems), { problems })));
    }
    await form.sendConfirmed(page);
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
      'campaign.create.load': onPage(({ ref, draft, view }) => load(ref, draft, view.id)),
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
    typings: {
      'campaign.create.category': entry(async ({ text, authorize }: Typing) => {
        const ref = await authorize({ isPreparing: true, isAsking: true });
        return categoryOptions(search(await catalogues.get(ref), text));
      }),
    },
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
  return before[name] === after[name];
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
