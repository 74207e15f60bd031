import type { ModalView } from '@slack/types';
import type { NewAuditEntry } from '../../domain/audit.ts';
import type { Campaign } from '../../domain/campaign.ts';
import type { AccountRef, ChannelId } from '../../domain/terms.ts';
import type { ResolvedCampaign } from '../../kit/campaign-listings.ts';
import { auditedAct, marketplaceErrorText } from '../../kit/marketplace-act.ts';
import type { Modules } from '../../kit/modules.ts';
import {
  type CallFailure,
  hasUnknownOutcome,
  isCallFailure,
  type MarketplaceClient,
} from '../../marketplace/index.ts';
import type { Asker, Click, Origin } from '../../slack/feature.ts';
import { type CampaignFormContent, type CampaignFormFrame, failedText, resultView } from './change.view.ts';
import type { ChosenHandler } from './choose.ts';

/** A change of a campaign at the marketplace. Its sentences are mrkdwn. */
export interface Change {
  readonly entry: Omit<NewAuditEntry, 'by' | 'how'>;
  /** Makes it, and returns a confirmation. */
  readonly send: (client: MarketplaceClient) => Promise<string>;
  /** What to check when its outcome is unknown. */
  readonly unknownText: string;
  /** The command that makes the same change. */
  readonly command: string;
}

/** Outcome of a change; the sentence is mrkdwn. */
type ChangeResult =
  | { readonly kind: 'done' | 'unknown'; readonly sentence: string }
  | { readonly kind: 'failed'; readonly sentence: string; readonly error: CallFailure };

/**
 * Makes a change. A request of unknown outcome is never repeated.
 * @param by who makes it, and its `act` if that is claimed already
 */
export async function makeChange(
  modules: Modules,
  ref: AccountRef,
  { entry, send, unknownText }: Change,
  by: Pick<NewAuditEntry, 'by' | 'how' | 'member' | 'act'>,
): Promise<ChangeResult> {
  try {
    const sent = async () => send(await modules.marketplace.of(ref));
    return { kind: 'done', sentence: await auditedAct(modules, ref, { ...entry, ...by }, sent) };
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return hasUnknownOutcome(error)
      ? { kind: 'unknown', sentence: unknownText }
      : { kind: 'failed', sentence: marketplaceErrorText(error), error };
  }
}

/** Creates what the forms that change a campaign do alike. */
export function createChangeForm<Input>(
  { campaigns: { listings } }: Modules,
  frame: CampaignFormFrame,
  view: (content: CampaignFormContent<Input>) => ModalView,
  openedView = view,
) {
  async function firstView(
    ref: AccountRef,
    resolved: ResolvedCampaign,
    channel: ChannelId | undefined,
    input?: Input,
  ): Promise<ModalView> {
    const { campaign, lastSeen } = await listings.refresh(ref, resolved);
    return openedView({ campaign, channel, input, lastSeen });
  }

  return {
    /** Opens the form, with what was typed already. */
    async open(
      { channel, open }: Pick<Click, 'channel' | 'open'>,
      ref: AccountRef,
      resolved: ResolvedCampaign,
      input?: Input,
    ): Promise<void> {
      await open(await firstView(ref, resolved, channel, input));
    },

    /** Replaces the form in which the campaign was chosen. */
    chosen: (async ({ channel }, ref, resolved) => ({
      update: await firstView(ref, resolved, channel),
    })) satisfies ChosenHandler,

    /** Shows in the form what became of a change. */
    async showResult(
      { show }: Asker,
      at: Origin,
      { campaign, input, command }: Pick<Change, 'command'> & { campaign: Campaign; input: Input },
      result: ChangeResult,
    ): Promise<void> {
      const { kind, sentence } = result;
      if (kind !== 'failed') return show(resultView(frame, sentence), sentence, at);
      const problem = `*Not changed.* ${sentence}`;
      const again = view({ campaign, channel: at.channel, input, problem });
      await show(again, failedText(campaign, command, sentence), at);
    },
  };
}
