import type { KnownBlock, ModalView } from '@slack/types';
import { z } from 'zod';
import type { Campaign } from '../../domain/campaign.ts';
import { context, modal, section } from '../../slack/blocks.ts';
import { campaignCodec, campaignId, channel } from './button-values.ts';
import { formOutdatedNote, title } from './campaign-text.ts';

const state = z.object({
  campaign: campaignId,
  channel,
  /** How often the form was sent, so that each time is carried out once. */
  attempt: z.number().int().min(1),
  /** The cost that the form shows; nothing is sent before the form has shown what it costs. */
  shown: z.string().optional(),
});
export type CampaignFormState = z.infer<typeof state>;

/** The state of a form that changes a campaign. */
export const campaignFormState = campaignCodec(state);

/** What stays the same of a form that changes a campaign. */
export interface CampaignFormFrame {
  readonly callbackId: string;
  readonly title: string;
  readonly submit: string;
}

/** What a form that changes a campaign shows. */
export interface CampaignFormContent<Input, Problem> {
  readonly campaign: Campaign;
  readonly state: CampaignFormState;
  /** What is filled in; absent: what the form proposes. */
  readonly input?: Input | undefined;
  /** The marketplace did not answer: the campaign is as seen then (ms). */
  readonly lastSeen?: number | undefined;
  /** Why the marketplace refused the last attempt. */
  readonly problem?: Problem;
  /** What was filled in costs something that the form did not show yet: it is shown now, and confirmed by sending it again. */
  readonly isConfirming?: true;
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

/** Renders what replaces a form as soon as it is submitted. */
export function sendingView(frame: CampaignFormFrame): ModalView {
  return resultView(
    frame,
    'Sending to the marketplace…',
    'If this does not change within a minute, check `/campaign status` before you try again.',
  );
}

/** Renders what replaces a form once its request has ended. */
export function resultView(frame: CampaignFormFrame, ...paragraphs: readonly string[]): ModalView {
  const { callbackId, title: heading } = frame;
  return modal({ callbackId, title: heading, blocks: paragraphs.map((text) => section(text)) });
}
