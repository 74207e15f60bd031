import type { CreatedBrief } from '../../domain/brief.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { type CallFailure, incompleteAnswer, MarketplaceError } from '../../marketplace/index.ts';
import type { OpenFiles, Problem, SentDraft } from '../../ui/draft.ts';
import type { Catalogues } from './catalogue.ts';
import { type CampaignDraft, templateOf } from './draft.ts';
import { refusalProblems } from './refusal.ts';
import { createdSentences, foundSentence } from './result.view.ts';
import { toCampaign } from './validation.ts';

/** Includes uploads of up to 20 MB. */
const sendTimeoutMs = 90_000;
const findTimeoutMs = 15_000;

/** Clocks differ, and the marketplace's datetimes lag behind. */
const clockToleranceMs = 600_000;

/** Creates the sending of drafts, and the check whether one became a campaign. */
export function createCampaignSender(
  { campaigns, tasks, marketplace, log, clock }: Modules,
  catalogues: Catalogues,
) {
  /** Stores data the marketplace does not report later. The campaign exists even if this fails. */
  async function storeCreated(ref: AccountRef, campaign: CampaignId, draft: CampaignDraft) {
    const stored = await Promise.allSettled([
      tasks.timesToRate.put(ref, campaign, Number(draft.values.ttr)),
      campaigns.briefs.storeCreated(ref, campaign, briefOf(draft), draft.id),
    ]);
    for (const result of stored) {
      if (result.status === 'rejected')
        log.warn({ err: result.reason, campaign }, 'what was sent with a campaign not stored');
    }
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

    async refused(ref: AccountRef, draft: CampaignDraft, error: CallFailure) {
      const problems: Problem[] =
        error instanceof MarketplaceError
          ? refusalProblems(error, toCampaign(draft.values, {}).paymentPerTask)
          : [{ text: marketplaceErrorText(error) }];
      if (problems.some(({ field }) => field === 'payment' || field === 'category')) {
        await catalogues.invalidate(ref).catch(() => undefined);
      }
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
  const normalized = (title: string) => title.replace(/\s+/gu, ' ').trim();
  return normalized(a) === normalized(b);
}
