import { z } from 'zod';
import { Mirrored, type PostEvent, withPost } from './live-message.ts';
import { CampaignId, ChannelId, campaignStatuses } from './terms.ts';

/** A confirmed change of a campaign's status, and when (ms) it was confirmed. */
export const CampaignChange = z
  .object({ campaign: CampaignId, status: z.enum(campaignStatuses), at: z.number() })
  .readonly();
export type CampaignChange = z.infer<typeof CampaignChange>;

/** A sign that a campaign's instructions may be at fault: several workers got NOK for one saved reason. */
export const BriefFault = z
  .object({
    campaign: CampaignId,
    reason: z.string(),
    /** Number of workers who got it. */
    workers: z.number(),
    at: z.number(),
  })
  .readonly();
export type BriefFault = z.infer<typeof BriefFault>;

/** Maximum number of changes in one message. */
const maxChanges = 1_000;
const maxFaults = 10;

/** A channel's latest message about campaigns that have finished, paused or are blocked. */
export const CampaignNotice = z
  .object({
    channel: ChannelId,
    changes: z.array(CampaignChange).readonly(),
    /** Campaigns whose instructions may be at fault. */
    faults: z.array(BriefFault).readonly().exactOptional(),
    /** When the last change was added (ms). */
    changedAt: z.number(),
    ...Mirrored.unwrap().shape,
  })
  .readonly();
export type CampaignNotice = z.infer<typeof CampaignNotice>;

export type CampaignNoticeEvent =
  | {
      readonly type: 'changed';
      readonly channel: ChannelId;
      readonly changes: readonly CampaignChange[];
      readonly at: number;
    }
  | { readonly type: 'at-fault'; readonly channel: ChannelId; readonly fault: BriefFault }
  | PostEvent;

/** Changes within this time after the last one (ms) are added to the same message. */
const mergeMs = 60_000;

/** Applies an event. Returns the changed notice, or undefined when nothing changes: each change is told once. Pure. */
export function applyCampaignNoticeEvent(
  before: CampaignNotice | undefined,
  event: CampaignNoticeEvent,
): CampaignNotice | undefined {
  if (event.type === 'changed') return changed(before, event);
  if (event.type === 'at-fault') return atFault(before, event);
  return before && withPost(before, event, false);
}

function changed(
  before: CampaignNotice | undefined,
  { channel, changes, at }: Extract<CampaignNoticeEvent, { type: 'changed' }>,
): CampaignNotice | undefined {
  const known = new Set(before?.changes.map(keyOf));
  const added = changes.filter((one) => !known.has(keyOf(one)));
  if (added.length === 0) return undefined;
  const isOpen = takesMore(before, at);
  const all = isOpen ? [...before.changes, ...added] : added;
  return {
    channel,
    changes: all.slice(0, maxChanges),
    ...(isOpen && before.faults ? { faults: before.faults } : {}),
    changedAt: at,
    card: isOpen ? before.card : { state: 'wanted' },
    revision: (before?.revision ?? 0) + 1,
  };
}

/** Returns whether new changes are added to the latest message. */
function takesMore(before: CampaignNotice | undefined, at: number): before is CampaignNotice {
  if (before === undefined) return false;
  const isRecent = at - before.changedAt < mergeMs;
  return before.card.state === 'wanted' || (before.card.state === 'posted' && isRecent);
}

function atFault(
  before: CampaignNotice | undefined,
  { channel, fault }: Extract<CampaignNoticeEvent, { type: 'at-fault' }>,
): CampaignNotice | undefined {
  const { campaign, reason, at } = fault;
  if (before?.faults?.some((one) => one.campaign === campaign && one.reason === reason)) return undefined;
  const isOpen = takesMore(before, at);
  return {
    channel,
    changes: isOpen ? before.changes : [],
    faults: [...(isOpen ? (before.faults ?? []) : []), fault].slice(-maxFaults),
    changedAt: at,
    card: isOpen ? before.card : { state: 'wanted' },
    revision: (before?.revision ?? 0) + 1,
  };
}

function keyOf({ campaign, status, at }: CampaignChange): string {
  return `${campaign} ${status} ${at}`;
}
