import { campaignTitleOf } from '../../domain/campaign.ts';
import { daysToRate } from '../../domain/task.ts';
import type { AccountRef, CampaignId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import { doneBy } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import { onButton, onCommand, onForm } from '../../kit/on.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import { type Message, notice } from '../../slack/blocks.ts';
import type { Feature } from '../../slack/feature.ts';
import { typed } from '../../slack/form-values.ts';
import { createList } from '../../ui/list.ts';
import { counted } from '../../ui/words.ts';
import type { CampaignChooser, ChosenHandler, Requester } from './choose.ts';
import {
  campaignListCodec,
  daysInput,
  daysProblem,
  type ListState,
  listMessage,
  parseFilter,
  statusMessage,
  timeToRateState,
  timeToRateStored,
  timeToRateView,
} from './list.view.ts';
import {
  type CampaignListing,
  type CampaignSnapshot,
  listTimeoutMs,
  type ResolvedCampaign,
} from './listings.ts';
import { campaignValue } from './words.ts';

/** Creates `/campaign list [status]`, its filter, and its pages. */
export function createCampaignList({ campaigns: { listings } }: Modules): Feature {
  /** Returns the campaigns that match a filter; those of a status even if the marketplace does not answer. */
  async function matching(ref: AccountRef, { filter }: ListState): Promise<CampaignListing> {
    if (filter === 'ARCHIVE') return { campaigns: await listings.archived(ref), lastSeen: undefined };
    const { campaigns, lastSeen } = await listings.list(ref);
    return { campaigns: campaigns.filter(({ status }) => (filter ?? status) === status), lastSeen };
  }

  const list = createList<ListState>({
    codec: campaignListCodec,
    render: async (ref, shown) => listMessage(await matching(ref, shown), shown),
  });

  const command = (word: '' | 'list', usage: string, help: string) =>
    onCommand({ command: '/campaign', word, usage, help, needs: 'see' }, async (asked) => {
      const { ref, text, answer } = asked;
      await answer(
        await list.render(ref, { account: ref.account, filter: parseFilter(text), page: 0 }, asked),
      );
    });

  return {
    commands: [
      command('', '', ''),
      command('list', '[status]', 'Lists your campaigns, those with waiting tasks first.'),
    ],
    clicks: {
      'campaign.list': {
        needs: 'see',
        isSlow: true,
        once: true,
        run: list.open((account) => ({ account, page: 0 })),
      },
      'campaign.filter': list.change((filter) => ({ filter })),
      ...list.pages('campaign.page'),
    },
  };
}

/** Creates `/campaign status [id or part of the title]`, the Status buttons, and the form for the time to rate. */
export function createStatus({ audit, campaigns, tasks }: Modules, chooser: CampaignChooser) {
  const { listings } = campaigns;

  async function render(
    ref: AccountRef,
    { campaign, lastSeen }: Partial<CampaignSnapshot> & Pick<CampaignSnapshot, 'campaign'>,
    done?: string,
  ): Promise<Message> {
    const [ratings, [waiting], days] = await Promise.all([
      tasks.knownRatings(ref, campaign.id),
      tasks.open.waitingIn(ref, [campaign.id]),
      tasks.timesToRate.get(ref, campaign.id),
    ]);
    const inCorrection = [...ratings.values()].filter((rating) => rating === 'REVISE').length;
    return statusMessage({ campaign, inCorrection, waiting, days, lastSeen, done });
  }

  async function show({ ref, answer }: Requester, resolved: ResolvedCampaign): Promise<void> {
    await answer(await render(ref, await listings.refresh(ref, resolved, listTimeoutMs)));
  }

  /** Has the cards of a campaign drawn again: the next poll queues them, behind those that somebody has clicked. */
  async function redrawCards(ref: AccountRef, campaign: CampaignId): Promise<void> {
    const open = await tasks.getMany(ref, await tasks.open.ofCampaigns(ref, [campaign]));
    const posted = open.filter(({ card }) => card.state === 'posted');
    await tasks.markNeedsRender(
      ref,
      posted.map(({ id }) => id),
    );
  }

  const feature: Feature = {
    commands: [
      onCommand(
        {
          command: '/campaign',
          word: 'status',
          usage: '[id or part of the title]',
          help: 'Shows how a campaign is doing. Type it alone to choose one.',
          needs: 'see',
        },
        async (command) => {
          const resolved = await chooser.resolve(command, command.text, 'status');
          if (resolved !== undefined) await show(command, resolved);
        },
      ),
    ],
    clicks: {
      'campaign.status': onButton(
        campaignValue,
        { needs: 'see', isSlow: true, once: true },
        async ({ ref, value, answer }) =>
          answer(await render(ref, await listings.snapshot(ref, value.campaign))),
      ),
      /** Opens the form for the days that a campaign's tasks may wait, which no endpoint reports. */
      'campaign.status.time-to-rate': onButton(
        campaignValue,
        { needs: 'deadlines', isPreparing: true },
        async ({ ref, value: { campaign }, origin, open }) => {
          const days = await tasks.timesToRate.get(ref, campaign);
          const known = await campaigns.get(ref, campaign);
          await open(timeToRateView(campaignTitleOf(campaign, known?.title), days, { campaign, origin }));
        },
      ),
    },
    submissions: {
      'campaign.time-to-rate': onForm(timeToRateState, 'deadlines', async (submission) => {
        const { ref, state, values } = submission;
        const { campaign, origin } = state;
        const text = typed(values, daysInput);
        const days = Number(text);
        if (!/^\d+$/.test(text) || days < daysToRate.min || days > daysToRate.max)
          return { errors: { [daysInput]: daysProblem } };
        await tasks.timesToRate.put(ref, campaign, days, (before) =>
          audit.step(ref, {
            what: 'set time to rate',
            ...doneBy(submission),
            campaign,
            ...(before === undefined ? {} : { before: counted(before, 'day') }),
            after: counted(days, 'day'),
          }),
        );
        return {
          async afterwards() {
            await redrawCards(ref, campaign);
            const known = await listings.snapshot(ref, campaign).catch((error: unknown) => {
              if (!isCallFailure(error) && !(error instanceof UserError)) throw error;
            });
            const done = timeToRateStored(campaignTitleOf(campaign, known?.campaign.title), days);
            const shown = known ? await render(ref, known, done) : notice(done);
            await submission.show(shown, undefined, origin);
          },
        };
      }),
    },
  };

  return {
    feature,
    chosen: (async (requester, resolved) => ({
      afterwards: () => show(requester, resolved),
    })) satisfies ChosenHandler,
  };
}
