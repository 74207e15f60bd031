import { groupBy } from '../../domain/collections.ts';
import {
  type QueueContent,
  type QueueMessageId,
  type QueuePlace,
  queueMessageId,
} from '../../domain/queue-message.ts';
import { CampaignId, type ChannelId } from '../../domain/terms.ts';

/** Maximum number of campaigns with their own live message in a channel; the others share one. */
export const maxQueueMessages = 2;

/** Represents all campaigns that share a message: those of the channel's own cards, and those of a digest. */
const otherCampaigns = CampaignId.parse('*others');
const otherDigests = CampaignId.parse('*digests');

/** Returns whether a message combines several campaigns. */
export function isShared(campaign: CampaignId): boolean {
  return campaign === otherCampaigns || campaign === otherDigests;
}

/** The content of a place, or its planned content. */
export interface QueueAt {
  readonly place: QueuePlace;
  readonly content: QueueContent;
}

/**
 * Returns the content of each message: per channel, a limited number of campaigns have their own, and the rest shares
 * one. A campaign keeps its message, just as a card is not taken back for a more urgent one; a free place goes to the
 * earliest deadline. Each waiting campaign is thus counted in exactly one message of the channel. Pure.
 * @param counted the content for each campaign, digests or not
 * @param shown the existing messages
 */
export function shareQueues(
  counted: readonly QueueAt[],
  shown: ReadonlySet<QueueMessageId>,
  isDigest: boolean,
): QueueAt[] {
  const byChannel = groupBy(counted, ({ place }) => place.channel);
  return [...byChannel].flatMap(([channel, all]) => {
    const own = all.filter(({ place }) => shown.has(queueMessageId(place)));
    const rest = all
      .filter((one) => !own.includes(one) && one.content.waiting > 0)
      .sort((a, b) => compare(a.content, b.content) || (a.place.campaign < b.place.campaign ? -1 : 1));
    const room = Math.max(0, maxQueueMessages - own.filter(({ content }) => content.waiting > 0).length);
    const left = rest.slice(room);
    return [
      ...own,
      ...rest.slice(0, room),
      ...(left.length === 0 ? [] : [together(channel, left, isDigest)]),
    ];
  });
}

function together(channel: ChannelId, all: readonly QueueAt[], isDigest: boolean): QueueAt {
  const contents = all.map(({ content }) => content);
  const cards = contents.flatMap((one) => one.cards ?? []);
  const channels = new Set(cards.map((one) => one.channel));
  const [first] = channels.size === 1 ? channels : [];
  return {
    place: { channel, campaign: isDigest ? otherDigests : otherCampaigns },
    content: {
      campaigns: all.length,
      waiting: total(contents.map(({ waiting }) => waiting)),
      ...(isDigest
        ? { cards: { count: total(cards.map(({ count }) => count)), ...(first ? { channel: first } : {}) } }
        : {}),
      ...earliest('oldest', contents),
      ...earliest('dueAt', contents),
    },
  };
}

function earliest<Name extends 'oldest' | 'dueAt'>(name: Name, contents: readonly QueueContent[]) {
  const times = contents.flatMap((one) => one[name] ?? []);
  return times.length === 0 ? {} : { [name]: Math.min(...times) };
}

/** Compares by deadline, then by age; unknown values come last. */
function compare(a: QueueContent, b: QueueContent): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (a.dueAt ?? never) - (b.dueAt ?? never) || (a.oldest ?? never) - (b.oldest ?? never);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
