import { normalizeSpace } from '../../domain/evidence/texts.ts';
import type { Money } from '../../domain/money.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { type ActEnd, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { sentenceFor } from '../../marketplace/errors.ts';
import {
  type CallFailure,
  incompleteAnswer,
  MarketplaceError,
  type MarketplaceErrorCode,
} from '../../marketplace/index.ts';
import type { OpenAttachment } from '../../slack/files.ts';
import { date, escaped, inline } from '../../slack/mrkdwn.ts';
import { counted } from '../../ui/words.ts';
import { createdSentences, foundSentence } from './create.view.ts';
import { type CampaignDraft, type Problem, proofsOf, templateOf, toCampaign } from './create-fields.ts';
import { clockToleranceMs } from './words.ts';

/** Includes uploads of up to 20 MB. */
const sendTimeoutMs = 90_000;
const findTimeoutMs = 15_000;

/** Whether a sent draft arrived, said in a sentence, and what that adds to the audit. */
export interface FoundDraft {
  readonly isThere: boolean;
  readonly sentence: string;
  readonly end?: ActEnd;
}

export type CampaignSender = ReturnType<typeof createCampaignSender>;

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

  /** Returns the ids of known campaigns: a draft that is sent becomes none of these. */
  const known = async (ref: AccountRef): Promise<CampaignId[]> =>
    (await campaigns.all(ref)).map(({ id }) => id);

  return {
    known,

    /**
     * Prepares the single call that sends a draft, and says what came of it in mrkdwn and to the audit. `before`: ids of
     * campaigns that already exist.
     */
    async prepare(ref: AccountRef, draft: CampaignDraft, files: Readonly<Record<string, OpenAttachment>>) {
      const input = toCampaign(draft.values, files);
      const { title, availablePositions: positions, paymentPerTask } = input;
      const client = await marketplace.of(ref);
      return {
        before: await known(ref),
        entry: {
          what: 'create',
          after: `${title}: ${counted(positions, 'position')}`,
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

    async find(ref: AccountRef, draft: CampaignDraft): Promise<FoundDraft> {
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

/** Maps a refusal of new_campaign to problems: at the named field, else at the top. */
export function refusalProblems(error: MarketplaceError, payment: Money): Problem[] {
  const known: Problem[] = [];
  if (error.minPaymentPerTask?.gt(payment))
    known.push({ field: 'payment', text: sentenceAs(error, 'PAYMENT_TOO_LOW') });
  const unknown: string[] = [];
  for (const [index, token] of [...error.errorsList, ...error.errors].entries()) {
    const code = error.problems[index];
    if (code === 'POSITIONS') known.push({ field: 'positions', text: sentenceAs(error, code) });
    else unknown.push(`“${inline(token)}”`);
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
