import type { ActOfKind } from '../../domain/approval.ts';
import type { CreatedBrief } from '../../domain/campaign.ts';
import { normalizeSpace } from '../../domain/evidence/texts.ts';
import type { Money } from '../../domain/money.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
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
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import type { OpenFiles, Problem, SentDraft } from '../../ui/draft.ts';
import type { createDraftForm } from '../../ui/draft-form.ts';
import { changedSince, createdSentences, draftGone, foundSentence } from './create.view.ts';
import {
  type CampaignDraft,
  type FieldName,
  type Fields,
  type Page,
  parsePayment,
  parseWholeNumber,
  templateOf,
  toCampaign,
} from './create-fields.ts';

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

    async refused(_: AccountRef, { values }: CampaignDraft, error: CallFailure) {
      const problems: Problem[] =
        error instanceof MarketplaceError
          ? refusalProblems(error, toCampaign(values, {}).paymentPerTask)
          : [{ text: marketplaceErrorText(error) }];
      return { problems };
    },
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
    async current({ workspace }, act) {
      const draft = await load(workspace, act.draft);
      if (draft === undefined) return { canceled: draftGone };
      return isAsAsked(draft, act) ? act : { canceled: changedSince };
    },

    // Sending a draft writes its own entries.
    claim: () => undefined,

    async perform(ref, act, _, by) {
      const draft = await load(ref.workspace, act.draft);
      if (draft === undefined || !isAsAsked(draft, act)) return { kind: 'canceled', sentence: changedSince };
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
