import type { OptionGroup, PlainTextOption } from '@slack/types';
import { type AccountRef, CampaignId } from '../../domain/terms.ts';
import {
  type Command,
  chosen,
  type Submission,
  type SubmissionAnswer,
  type Typing,
} from '../../slack/feature.ts';
import { type Asker, askerIn, type CampaignsDeps } from './deps.ts';
import { type Known, type Listings, withTitle } from './listing.ts';
import { campaignInput, chooseMessage, pickForm, pickOptions, pickView } from './pick.view.ts';
import { isCallFailure } from './told.ts';
import { type Purpose, pickState } from './values.ts';
import { formWait, type Wait } from './waits.ts';

/**
 * What is done with a campaign once it is picked in the form: another view in its place, or the form closes. `wait` is
 * the time that is left for the answer.
 */
export type Picked = (asker: Asker, ref: AccountRef, known: Known, wait: Wait) => Promise<SubmissionAnswer>;

export type Pick = ReturnType<typeof createPick>;

/** Asks people which campaign they mean. */
export function createPick(deps: CampaignsDeps, listings: Listings) {
  return {
    /** Opens the form. */
    async open({ workspace, channel, triggerId }: Command, purpose: Purpose): Promise<void> {
      await deps.messengerOf(workspace).openModal(triggerId, pickView(purpose, channel));
    },

    /** Finds a campaign by what was typed; when several fit, asks which one and gives undefined. */
    async resolve(
      command: Command,
      ref: AccountRef,
      text: string,
      purpose: Purpose,
      { wait, positions }: { readonly wait: Wait; readonly positions?: number | undefined },
    ): Promise<(Known & { readonly byId: boolean }) | undefined> {
      const found = await listings.find(ref, text, wait);
      if (found.kind !== 'several') {
        return { campaign: found.campaign, isFresh: found.isFresh, byId: found.kind === 'id' };
      }
      await command.answer(chooseMessage(found.campaigns, text, purpose, positions));
      return undefined;
    },

    /** The form was submitted. */
    async submitted(
      submission: Submission,
      actions: Readonly<Record<Purpose, Picked>>,
    ): Promise<SubmissionAnswer> {
      const { purpose, channel } = pickState.decode(submission.state);
      const id = chosen(submission.values, campaignInput);
      if (id === undefined) return { errors: { [campaignInput]: 'Choose a campaign.' } };
      const wait = formWait();
      const ref = await deps.accounts.require(submission.workspace, submission.member);
      const known = await listings.lookUp(ref, CampaignId.parse(id), wait);
      const asker = askerIn(deps, submission, channel);
      const { afterwards, ...answer } = await actions[purpose](asker, ref, known, wait);
      if (afterwards === undefined) return answer;
      return {
        ...answer,
        async afterwards() {
          if (await deps.claimOnce(submission.workspace, `picked ${submission.id}`)) await afterwards();
        },
      };
    },

    /** Somebody types into the select of a form. A marketplace that fails gives no options, not a message per letter. */
    async typing({
      workspace,
      member,
      text,
      view,
    }: Typing): Promise<PlainTextOption[] | { groups: OptionGroup[] }> {
      const ref = await deps.accounts.of(workspace, member);
      if (ref === undefined) return [];
      try {
        const campaigns = withTitle(await listings.known(ref), text);
        const purpose = view?.callbackId === pickForm ? pickState.decode(view.state).purpose : undefined;
        return pickOptions(campaigns, purpose);
      } catch (error) {
        if (!isCallFailure(error)) throw error;
        deps.logger.warn({ err: error }, 'there are no campaigns to choose from');
        return [];
      }
    },
  };
}
