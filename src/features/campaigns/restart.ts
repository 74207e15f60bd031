import type { ActOfKind } from '../../domain/approval.ts';
import type { Campaign } from '../../domain/campaign.ts';
import { tryMoney } from '../../domain/money.ts';
import { CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { modalBudget } from '../../kit/budgets.ts';
import type { CampaignListings } from '../../kit/campaign-listings.ts';
import type { Modules } from '../../kit/modules.ts';
import type { ApprovedAct } from '../../kit/spending.ts';
import { MarketplaceError } from '../../marketplace/index.ts';
import type { Click, Command } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { campaignValue } from './campaign.view.ts';
import { type ChangeResult, createCampaignForm } from './change.ts';
import {
  costChanged,
  notFinishedText,
  positionsInput,
  positionsProblem,
  restartedText,
  restartForm,
  restartUnknownText,
  restartValue,
  restartView,
  shownCost,
  unknownPayment,
} from './change.view.ts';
import type { CampaignChooser } from './choose.ts';

/** Retry interval of an approved restart while the marketplace does not answer (ms). */
const retryMs = 30_000;

/** Creates `/campaign restart <id> <positions>`, its form, and the Restart button. */
export function createRestart(context: Modules, listings: CampaignListings, chooser: CampaignChooser) {
  const { campaigns } = context;

  const form = createCampaignForm<number, string>(context, listings, {
    name: 'restart',
    frame: restartForm,
    view: restartView,
    parse(values) {
      const positions = parsePositions(typed(values, positionsInput));
      return positions === undefined
        ? { errors: { [positionsInput]: positionsProblem } }
        : { input: positions };
    },
    async send(client, campaign, positions) {
      const { positionsAdded } = await client.restartCampaign(campaign.id, positions);
      return restartedText(campaign, positionsAdded);
    },
    unknownOutcomeText: restartUnknownText,
    entryOf,
    commandOf: ({ id }, positions) => `/campaign restart ${id} ${positions}`,
    problemOf: (_, sentence) => sentence,
    spending: {
      actOf,
      shownAs: shownCost,
      decode(value) {
        const { positions, shown } = restartValue.decode(value);
        return { input: positions, shown };
      },
      costChanged,
    },
  });

  /** Returns the campaign's current data from the marketplace; undefined while it does not answer. */
  async function campaignNow(...[ref, { campaign: id }]: Parameters<typeof approved.current>) {
    const { campaign, lastSeen } = await listings.snapshot(ref, id);
    return lastSeen === undefined ? campaign : undefined;
  }

  const approved: ApprovedAct<ActOfKind<'restart'>> = {
    async current(ref, act) {
      try {
        const campaign = await campaignNow(ref, act);
        if (campaign === undefined) return { again: retryMs };
        if (campaign.status !== 'FINISHED') return { canceled: notFinishedText(campaign) };
        return actOf(campaign, act.positions);
      } catch (error) {
        if (error instanceof UserError) return { canceled: error.message };
        throw error;
      }
    },
    claim: (act) => entryOf(asCampaign(act), act.positions),
    async perform(ref, act, id, by) {
      const campaign = await listings.byId(ref, act.campaign);
      // It was restarted already, and has finished since: Redis has lost that.
      if (campaign.availablePositions === act.before + act.positions)
        return { kind: 'done', sentence: restartedText(campaign, act.positions) };
      return outcomeOf(await form.changeApproved(ref, campaign, act.positions, by, id));
    },
    /**
     * Sends nothing again: the number of positions shows whether the restart happened, unless it has not been seen yet.
     */
    async settle(ref, act) {
      const campaign = await campaignNow(ref, act);
      if (campaign === undefined) return { again: retryMs };
      return campaign.availablePositions === act.before + act.positions
        ? { kind: 'done', sentence: restartedText(campaign, act.positions) }
        : {
            kind: 'unknown',
            sentence: restartUnknownText({ ...campaign, availablePositions: act.before }, act.positions),
          };
    },
  };

  return {
    chosen: form.chosen,
    submitted: form.submitted,
    confirmed: form.confirmed,
    changed: form.changed,
    approved,

    async command(command: Command): Promise<void> {
      const budget = modalBudget();
      const ref = await command.authorize({ isPreparing: true, isAsking: true });
      if (command.text === '') return chooser.open(command, 'restart');
      const { campaign, positions } = await parseRestartArguments(
        command.text,
        async (id) => (await campaigns.get(ref, CampaignId.parse(id))) !== undefined,
      );
      const resolved = await chooser.resolve(command, ref, campaign, 'restart', { budget, positions });
      // Positions cost money, so the form shows the cost even if everything was typed.
      if (resolved !== undefined) await form.open(command, ref, resolved, budget, positions);
    },

    async click(click: Click): Promise<void> {
      const { campaign, positions } = campaignValue.decode(click.value);
      await form.click(click, campaign, positions);
    },
  };
}

/** Returns the spending of a restart. Throws a UserError when the marketplace gives no payment. */
function actOf(
  { id, title, paymentPerTask, availablePositions }: Campaign,
  positions: number,
): ActOfKind<'restart'> {
  const payment = tryMoney(paymentPerTask);
  if (payment === undefined) throw new UserError(unknownPayment);
  return {
    kind: 'restart',
    campaign: id,
    title,
    positions,
    payment: payment.toFixed(),
    before: availablePositions,
  };
}

type Restarted = Pick<Campaign, 'id' | 'availablePositions' | 'paymentPerTask'>;

function asCampaign({ campaign, before, payment }: ActOfKind<'restart'>): Restarted {
  return { id: campaign, availablePositions: before, paymentPerTask: payment };
}

/** Returns the audit entry of a restart. */
function entryOf({ id, availablePositions, paymentPerTask }: Restarted, positions: number) {
  const payment = tryMoney(paymentPerTask);
  return {
    what: 'restart',
    campaign: id,
    before: availablePositions === 1 ? '1 position' : `${availablePositions} positions`,
    after: `${availablePositions + positions} positions`,
    ...(payment === undefined ? {} : { money: payment.times(positions).toFixed() }),
  } as const;
}

function outcomeOf(result: ChangeResult) {
  const { kind, sentence } = result;
  if (kind !== 'failed') return { kind, sentence };
  return { kind: result.error instanceof MarketplaceError ? 'refused' : 'unanswered', sentence } as const;
}

/** Returns a whole number above 0, or undefined. */
export function parsePositions(text: string): number | undefined {
  const value = /^\+?\d{1,9}$/u.test(text.trim()) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}

/**
 * Splits `<id> <positions>`: the last word is the number, unless the whole text is an id. Throws a UserError if the last
 * word is an invalid number.
 */
export async function parseRestartArguments(
  text: string,
  isId: (text: string) => Promise<boolean>,
): Promise<{ campaign: string; positions?: number }> {
  const words = text.trim().split(/\s+/u);
  const last = words.at(-1) ?? '';
  const campaign = words.slice(0, -1).join(' ');
  if (campaign === '' || (await isId(text.trim()))) return { campaign: text.trim() };
  const positions = parsePositions(last);
  if (positions !== undefined) return { campaign, positions };
  if (/^[+-]?[\d.,']+$/u.test(last) || (await isId(campaign))) {
    throw new UserError(
      `Nothing was restarted. ${positionsProblem} For example: \`/campaign restart &lt;id&gt; 20\`.`,
    );
  }
  return { campaign: text.trim() };
}
