import type { Campaign } from '../../domain/campaign.ts';
import { type AccountRef, CampaignId, type ChannelId } from '../../domain/terms.ts';
import { UserError } from '../../errors.ts';
import {
  type Click,
  type Command,
  type Submission,
  type SubmissionAnswer,
  typed,
} from '../../slack/feature.ts';
import { notice } from '../../slack/notice.ts';
import { type Asker, askerIn, type CampaignsDeps } from './deps.ts';
import type { Known, Listings } from './listing.ts';
import { carryOut, type Outcome } from './outcome.ts';
import type { Pick } from './pick.ts';
import {
  positionsInput,
  positionsProblem,
  restartedSentence,
  restartNoteView,
  restartSendingView,
  restartUnsureSentence,
  restartView,
} from './restart.view.ts';
import { isCallFailure, isUnsure, told } from './told.ts';
import { campaignValue, type FormState, formState } from './values.ts';
import { formWait, type Wait } from './waits.ts';

/** `/campaign restart <id> <positions>`, its form, and the Restart button. */
export function createRestart(deps: CampaignsDeps, listings: Listings, pick: Pick) {
  const { accounts, marketplaceOf, messengerOf } = deps;

  async function form(
    ref: AccountRef,
    known: Known,
    wait: Wait,
    {
      channel,
      positions,
    }: { readonly channel: ChannelId | undefined; readonly positions?: number | undefined },
  ) {
    const { campaign, lastSeen } = await listings.current(ref, known, wait);
    const state = { campaign: campaign.id, channel, attempt: 1 };
    return restartView({ campaign, state, positions, lastSeen });
  }

  /** Restarts, and says how that went. A request whose end is unknown is never sent again. */
  async function restart(
    ref: AccountRef,
    campaign: Campaign,
    positions: number,
  ): Promise<{ done: true; sentence: string } | { done: false; unsure: boolean; sentence: string }> {
    try {
      const client = await marketplaceOf(ref);
      const { positionsAdded } = await client.restartCampaign(campaign.id, positions);
      return { done: true, sentence: restartedSentence(campaign, positionsAdded) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const unsure = isUnsure(error);
      return {
        done: false,
        unsure,
        sentence: unsure ? restartUnsureSentence(campaign, positions) : told(error),
      };
    }
  }

  async function outcome(
    ref: AccountRef,
    campaign: Campaign,
    positions: number,
    state: FormState,
  ): Promise<Outcome> {
    const result = await restart(ref, campaign, positions);
    const { sentence } = result;
    if (result.done || result.unsure) return { sentence, view: restartNoteView(sentence) };
    const next = { ...state, attempt: state.attempt + 1 };
    return { sentence, view: restartView({ campaign, state: next, positions, problem: sentence }) };
  }

  return {
    async command(command: Command): Promise<void> {
      const { workspace, member, channel, text, triggerId, answer } = command;
      const wait = formWait();
      const ref = await accounts.require(workspace, member);
      if (text === '') return pick.open(command, 'restart');
      const { which, positions } = await readArguments(text, async (id) => {
        return (await deps.campaigns.get(ref, CampaignId.parse(id))) !== undefined;
      });
      const found = await pick.resolve(command, ref, which, 'restart', { wait, positions });
      if (found === undefined) return;
      // Positions cost money: only an id says for certain which campaign is meant.
      if (positions === undefined || !found.byId) {
        const view = await form(ref, found, wait, { channel, positions });
        await messengerOf(workspace).openModal(triggerId, view);
        return;
      }
      const result = await restart(ref, found.campaign, positions);
      if (!result.done) throw new UserError(result.sentence);
      await answer(notice(result.sentence));
    },

    async click({ workspace, member, channel, value, triggerId }: Click): Promise<void> {
      const { campaign: id, positions } = campaignValue.decode(value);
      const wait = formWait();
      const ref = await accounts.require(workspace, member);
      const view = await form(ref, await listings.lookUp(ref, id, wait), wait, { channel, positions });
      await messengerOf(workspace).openModal(triggerId, view);
    },

    /** Picked in the form that asks for a campaign. */
    async picked(asker: Asker, ref: AccountRef, known: Known, wait: Wait): Promise<SubmissionAnswer> {
      return { update: await form(ref, known, wait, { channel: asker.channel }) };
    },

    async submitted(submission: Submission): Promise<SubmissionAnswer> {
      const state = formState.decode(submission.state);
      const positions = readPositions(typed(submission.values, positionsInput));
      if (positions === undefined) return { errors: { [positionsInput]: positionsProblem } };
      const ref = await accounts.require(submission.workspace, submission.member);
      const campaign = await listings.byId(ref, state.campaign);
      return {
        update: restartSendingView(),
        afterwards: () =>
          carryOut(
            deps,
            askerIn(deps, submission, state.channel),
            { viewId: submission.id, once: `restart ${submission.id} ${state.attempt}` },
            () => outcome(ref, campaign, positions, state),
          ),
      };
    },
  };
}

/** A whole number above 0, or undefined. */
export function readPositions(text: string): number | undefined {
  const value = /^\+?\d{1,9}$/u.test(text.trim()) ? Number(text) : 0;
  return value > 0 ? value : undefined;
}

/**
 * Takes `<id> <positions>` apart: the last word is the number, unless all of it is one id. Throws a UserError when the
 * last word is meant as a number and is none that can be used.
 */
export async function readArguments(
  text: string,
  isId: (text: string) => Promise<boolean>,
): Promise<{ which: string; positions?: number }> {
  const words = text.trim().split(/\s+/u);
  const last = words.at(-1) ?? '';
  const which = words.slice(0, -1).join(' ');
  if (which === '' || (await isId(text.trim()))) return { which: text.trim() };
  const positions = readPositions(last);
  if (positions !== undefined) return { which, positions };
  if (/^[+-]?[\d.,']+$/u.test(last) || (await isId(which))) {
    throw new UserError(
      `Nothing was restarted. ${positionsProblem} For example: \`/campaign restart &lt;id&gt; 20\`.`,
    );
  }
  return { which: text.trim() };
}
