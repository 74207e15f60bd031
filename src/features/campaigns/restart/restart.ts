import { tryMoney } from '../../../domain/money.ts';
import { CampaignId } from '../../../domain/terms.ts';
import { UserError } from '../../../errors.ts';
import { type Click, type Command, typed } from '../../../slack/feature.ts';
import { notice } from '../../../slack/notice.ts';
import type { CampaignListings } from '../../shared/campaign-listings.ts';
import type { FeatureContext } from '../../shared/context.ts';
import { modalBudget } from '../../shared/time-budget.ts';
import { campaignValue } from '../button-values.ts';
import { createCampaignForm } from '../campaign-form.ts';
import type { CampaignChooser } from '../choose-campaign.ts';
import { parsePositions, parseRestartArguments } from './arguments.ts';
import {
  positionsInput,
  positionsProblem,
  restartedText,
  restartForm,
  restartUnknownText,
  restartView,
} from './restart.view.ts';

/** `/campaign restart <id> <positions>`, its form, and the Restart button. */
export function createRestart(
  context: Pick<FeatureContext, 'audit' | 'campaigns' | 'logger' | 'marketplaceOf' | 'messengerOf'>,
  listings: CampaignListings,
  chooser: CampaignChooser,
) {
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
    entryOf({ id, availablePositions, paymentPerTask }, positions) {
      const payment = tryMoney(paymentPerTask);
      return {
        what: 'restart',
        campaign: id,
        before: `${availablePositions} positions`,
        after: `${availablePositions + positions} positions`,
        ...(payment === undefined ? {} : { money: payment.times(positions).toFixed() }),
      };
    },
    problemOf: (_, sentence) => sentence,
  });

  return {
    chosen: form.chosen,
    submitted: form.submitted,

    async command(command: Command): Promise<void> {
      const budget = modalBudget();
      const ref = await command.authorize({ isPreparing: true });
      if (command.text === '') return chooser.open(command, 'restart');
      const { campaign, positions } = await parseRestartArguments(
        command.text,
        async (id) => (await campaigns.get(ref, CampaignId.parse(id))) !== undefined,
      );
      const resolved = await chooser.resolve(command, ref, campaign, 'restart', { budget, positions });
      if (resolved === undefined) return;
      // Positions cost money: only an id says for certain which campaign is meant.
      if (positions === undefined || !resolved.byId) {
        return form.open(command, ref, resolved, budget, positions);
      }
      await command.authorize({ account: ref.account });
      const { kind, sentence } = await form.change(command, ref, resolved.campaign, positions);
      if (kind !== 'done') throw new UserError(sentence);
      await command.answer(notice(sentence));
    },

    async click(click: Click): Promise<void> {
      const { campaign, positions } = campaignValue.decode(click.value);
      await form.click(click, campaign, positions);
    },
  };
}
