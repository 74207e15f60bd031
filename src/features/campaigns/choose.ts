import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import { answerDeadlineMs, modalDeadlineMs } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onForm } from '../../kit/on.ts';
import { isCallFailure } from '../../marketplace/index.ts';
import type { Message } from '../../slack/blocks.ts';
import type { Command, Feature, SubmissionAnswer, Typing } from '../../slack/feature.ts';
import { chosen } from '../../slack/form-values.ts';
import { campaignInput, campaignOptions, chooseFormState, chooseMessage, chooseView } from './choose.view.ts';
import type { ResolvedCampaign } from './listings.ts';
import type { Purpose } from './words.ts';

/** A member who asked for something of an account. A modal remembers the channel in which it was opened, and answers there. */
export type Requester = Pick<Command, 'workspace' | 'member' | 'team' | 'answer'> & {
  readonly ref: AccountRef;
  readonly channel?: ChannelId | undefined;
};

/** Handles a chosen campaign: replaces the form with another view, or closes it. */
export type ChosenHandler = (requester: Requester, resolved: ResolvedCampaign) => Promise<SubmissionAnswer>;

export type CampaignChooser = ReturnType<typeof createCampaignChooser>;

/** Returns whether a form follows, for which Slack leaves less time, and a further right is needed. */
const isChange = (purpose: Purpose) => purpose === 'restart' || purpose === 'retarget';

/** Creates the form and message that ask which campaign is meant. */
export function createCampaignChooser({ campaigns, log }: Modules) {
  const { listings } = campaigns;

  return {
    /** Returns the campaign that an id or part of a title identifies; if none or several do, asks and returns undefined. */
    async resolve(
      { ref, channel, open, answer }: Command & Pick<Requester, 'ref'>,
      text: string,
      purpose: Purpose,
      positions?: number,
    ): Promise<ResolvedCampaign | undefined> {
      if (text === '') return void (await open(chooseView(purpose, channel)));
      const match = await listings.find(ref, text, isChange(purpose) ? modalDeadlineMs : answerDeadlineMs);
      if ('campaign' in match) return match;
      await answer(chooseMessage(match.several, text, purpose, positions));
      return undefined;
    },

    /** Returns the form in which a campaign is chosen. @param handlers what is done with it */
    feature: (handlers: Readonly<Record<Purpose, ChosenHandler>>): Feature => ({
      submissions: {
        'campaign.pick': onForm(
          chooseFormState,
          { needs: 'see', also: ['restart', 'retarget'] },
          async (submission) => {
            const { purpose, channel } = submission.state;
            const id = chosen(submission.values, campaignInput);
            if (id === undefined) return { errors: { [campaignInput]: 'Choose a campaign.' } };
            const ref = await submission.authorize({
              isPreparing: true,
              isAsking: purpose === 'restart',
              also: isChange(purpose) ? purpose : undefined,
            });
            const resolved = await listings.resolve(ref, CampaignId.parse(id));
            const answer = (message: Message) => submission.show(message, undefined, { channel });
            return handlers[purpose]({ ...submission, ref, channel, answer }, resolved);
          },
        ),
      },
      typings: { 'campaign.pick': { needs: 'see', run: options } },
    }),
  };

  /** Returns the campaigns that match typed text; none if the marketplace cannot be asked. */
  async function options({ authorize, text, view }: Typing) {
    const ref = await authorize();
    try {
      const offered = await listings.offered(ref, text);
      const purpose =
        view?.callbackId === 'campaign.pick' ? chooseFormState.decode(view.state).purpose : undefined;
      return campaignOptions(offered, purpose);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      log.warn({ err: error }, 'campaign options: list request failed');
      return [];
    }
  }
}
