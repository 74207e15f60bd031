import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { type CallFailure, isCallFailure, isUnsure, MarketplaceError } from '../../marketplace/index.ts';
import { marketplaceErrorText } from '../shared/marketplace-error.ts';
import { firstPage, toCampaign } from './checks.ts';
import type { CreateDeps } from './deps.ts';
import { type Draft, moved } from './draft.ts';
import { closeFiles, type Files } from './files.ts';
import { createdSentences, unsureSentences } from './outcome.view.ts';
import type { Pages } from './pages.ts';
import { refusalProblems } from './refusal.ts';

/** Files of up to 20 MB go along, from Slack and on. */
const sendMs = 90_000;
const lookMs = 15_000;

/** Clocks differ, and the marketplace's own is behind its datetimes. */
const clockSlackMs = 600_000;

/** Creates the campaign of a draft: once, and never again where the end of it is unknown. */
export function createSender(
  deps: CreateDeps,
  { drafts, catalogues, turns }: Pick<Pages, 'drafts' | 'catalogues' | 'turns'>,
  files: Files,
) {
  const { campaigns, timesToRate, marketplaceOf, logger, now } = deps;

  /** What was done at the marketplace is shown even when it cannot be kept. */
  async function keep(ref: AccountRef, draft: Draft): Promise<Draft> {
    await drafts.save(ref.workspace, draft).catch((error: unknown) => {
      logger.warn({ err: error }, 'the end of a new campaign was not kept');
    });
    return draft;
  }

  async function keepTimeToRate(ref: AccountRef, campaign: CampaignId, draft: Draft): Promise<void> {
    await timesToRate.put(ref, campaign, Number(draft.fields.ttr)).catch((error: unknown) => {
      logger.warn({ err: error, campaign }, 'a time to rate was not kept');
    });
  }

  /** Looks whether a campaign of the draft's title has appeared since it was sent. */
  async function look(ref: AccountRef, draft: Draft): Promise<Draft> {
    const { at, before } = draft.sent ?? { at: now(), before: [] };
    const { title } = draft.fields;
    try {
      const listed = await (await marketplaceOf(ref)).listCampaignsExtended({}, { deadlineMs: lookMs });
      const found = listed.filter(
        (one) =>
          sameTitle(one.title, title) &&
          !before.includes(one.id) &&
          (one.createdAt === undefined || one.createdAt.getTime() >= at - clockSlackMs),
      );
      const [only, ...others] = found;
      if (only && others.length === 0) await keepTimeToRate(ref, only.id, draft);
      return moved(draft, 'unsure', { said: unsureSentences(title, at, found) });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return moved(draft, 'unsure', { said: unsureSentences(title, at, undefined) });
    }
  }

  async function failed(ref: AccountRef, sent: Draft, error: CallFailure): Promise<Draft> {
    if (isUnsure(error)) return look(ref, sent);
    const problems =
      error instanceof MarketplaceError
        ? refusalProblems(error, toCampaign(sent.fields, {}).paymentPerTask)
        : [{ text: marketplaceErrorText(error) }];
    if (problems.some(({ field }) => field === 'payment' || field === 'category')) {
      await catalogues.forget(ref).catch(() => undefined);
    }
    return moved(sent, firstPage(problems), { problems });
  }

  return {
    /**
     * Gives the draft as it stands afterwards. From the first byte on it says that it was sent; where the draft has
     * gone on otherwise before that, nothing is sent.
     */
    async send(ref: AccountRef, draft: Draft): Promise<Draft> {
      const opened = await files.open(ref.workspace, draft);
      if ('text' in opened) {
        const refused = moved(draft, 'work', { problems: [opened] });
        return (await turns.leave(ref.workspace, draft, refused)).draft;
      }
      try {
        const input = toCampaign(draft.fields, opened);
        const client = await marketplaceOf(ref);
        const known = await campaigns.all(ref);
        const before = known.filter(({ title }) => sameTitle(title, input.title)).map(({ id }) => id);
        const unsure: Draft = { ...moved(draft, 'unsure'), sent: { at: now(), before } };
        const { draft: sent, isMine } = await turns.leave(ref.workspace, draft, unsure);
        if (!isMine) return sent;
        try {
          const made = await client.createCampaign(input, { deadlineMs: sendMs });
          await keepTimeToRate(ref, made.campaignId, sent);
          const said = createdSentences(input.title, made, input.ttr);
          return await keep(ref, moved(sent, 'done', { said }));
        } catch (error) {
          if (!isCallFailure(error)) throw error;
          logger.warn({ err: error }, 'a campaign was not created');
          return await keep(ref, await failed(ref, sent, error));
        }
      } finally {
        closeFiles(opened);
      }
    },

    /** Looks once more. Gives the draft as it stands then: somebody may have gone on with it meanwhile. */
    async look(ref: AccountRef, draft: Draft): Promise<Draft> {
      const looked = await look(ref, draft);
      const latest = await drafts.load(ref.workspace, draft.id);
      return latest === undefined || latest.turn === draft.turn ? keep(ref, looked) : latest;
    },
  };
}

function sameTitle(a: string, b: string): boolean {
  const folded = (title: string) => title.replace(/\s+/gu, ' ').trim();
  return folded(a) === folded(b);
}
