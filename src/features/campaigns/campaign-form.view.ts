import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import { context, modal, section } from '../../slack/blocks.ts';
import { code } from '../../slack/mrkdwn.ts';
import { campaignCodec, campaignId, channel } from './button-values.ts';
import { formOutdatedNote, title } from './campaign-text.ts';

const state = z.object({
  campaign: campaignId,
  channel,
  /** Number of submissions of the form, so that each is carried out once. */
  attempt: z.number().int().min(1),
});
export type CampaignFormState = z.infer<typeof state>;

/** The state of a form that changes a campaign. */
export const campaignFormState = campaignCodec('form', state);

/** The fixed parts of a form that changes a campaign. */
export interface CampaignFormFrame {
  readonly callbackId: string;
  readonly title: string;
  readonly submit: string;
}

/** Content of a form that changes a campaign. */
export interface CampaignFormContent<Input, Problem> {
  readonly campaign: Campaign;
  readonly state: CampaignFormState;
  /** The filled-in input; absent: the form's suggestion. */
  readonly input?: Input | undefined;
  /** Set when the marketplace did not answer: the time of the stored data (ms). */
  readonly lastSeen?: number | undefined;
  /** Why the marketplace refused the last attempt. */
  readonly problem?: Problem;
  /** Whether the cost of the input is shown, to be confirmed. */
  readonly isConfirming?: true;
  /** Whether the input is to be changed instead of confirmed. */
  readonly isCorrecting?: true;
}

/** Renders a form that changes a campaign. @param facts about the campaign, in mrkdwn */
export function campaignFormView(
  frame: CampaignFormFrame,
  { campaign, state, lastSeen, problem }: CampaignFormContent<unknown, unknown>,
  facts: string,
  blocks: readonly KnownBlock[],
): ModalView {
  return modal({
    ...frame,
    submit: problem === undefined ? frame.submit : 'Try again',
    state: campaignFormState.encode(state),
    blocks: [
      section(`*${title(campaign)}*\n${facts}`),
      ...(lastSeen === undefined ? [] : [context(formOutdatedNote(lastSeen))]),
      ...blocks,
    ],
  });
}

/**
 * Returns why a change was not made, for a place without its form: the campaign, and what was asked for to send it again.
 * @param sentence the reason, in mrkdwn
 */
export function failedText(
  campaign: Pick<Campaign, 'id' | 'title'>,
  command: string,
  sentence: string,
): string {
  return `*${title(campaign)}* was not changed. ${sentence}\nYour change: ${code(command, 1_500)}`;
}

/** Renders the view shown right after submission. */
export function sendingView(frame: CampaignFormFrame): ModalView {
  return resultView(
    frame,
    'Sending to the marketplace…',
    'If this does not change within a minute, check `/campaign status` before you try again.',
  );
}

/** Renders the view shown after the request has ended. */
export function resultView(frame: CampaignFormFrame, ...paragraphs: readonly string[]): ModalView {
  const { callbackId, title: heading } = frame;
  return modal({ callbackId, title: heading, blocks: paragraphs.map((text) => section(text)) });
}
