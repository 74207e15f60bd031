import { groupBy } from './group.ts';
import {
  noContent,
  type QueueContent,
  type QueueMessageId,
  type QueuePlace,
  queueMessageId,
} from './queue-message.ts';
import { CampaignId, type ChannelId } from './terms.ts';

/** How many campaigns have a live message of their own in a channel: the others are counted in one. */
export const maxQueueMessages = 10;

/** Stand for all campaigns that are counted together: those of the channel's own cards, and those of a digest. */
const otherCampaigns = CampaignId.parse('*others');
const otherDigests = CampaignId.parse('*digests');

/** Returns whether a message counts several campaigns together. */
export function isShared(campaign: CampaignId): boolean {
  return campaign === otherCampaigns || campaign === otherDigests;
}

/** What a place says, or would say. */
export interface QueueAt {
  readonly place: QueuePlace;
  readonly content: QueueContent;
}

/**
 * Returns which messages say what: of each channel, so many campaigns have their own, and the rest is counted in one. A
 * campaign that has its message keeps it, as a card is not taken back for a more urgent one; a place that is free goes to what
 * runs out first. So each campaign that waits is counted in exactly one message of the channel. Pure.
 * @param counted what each campaign would say, digests or not
 * @param shown the messages that stand somewhere
 */
export function shareQueues(
  counted: readonly QueueAt[],
  shown: ReadonlySet<QueueMessageId>,
  isDigest: boolean,
  most = maxQueueMessages,
): QueueAt[] {
  const byChannel = groupBy(counted, ({ place }) => place.channel);
  return [...byChannel].flatMap(([channel, all]) => {
    const own = all.filter(({ place }) => shown.has(queueMessageId(place)));
    const rest = all
      .filter((one) => !own.includes(one) && one.content.state === 'waiting')
      .sort((a, b) => compare(a.content, b.content) || (a.place.campaign < b.place.campaign ? -1 : 1));
    const room = Math.max(0, most - own.filter(({ content }) => content.state === 'waiting').length);
    const left = rest.slice(room);
    return [
      ...own,
      ...rest.slice(0, room),
      ...(left.length === 0 ? [] : [together(channel, left, isDigest)]),
    ];
  });
}

/** Returns what a message that counts several campaigns says once it counts none. @param isTold the channel is still told of what waits */
export function noneTogether(place: QueuePlace, isTold: boolean): QueueAt {
  return { place, content: { ...noContent, state: isTold ? 'none' : 'elsewhere', campaigns: 0 } };
}

function together(channel: ChannelId, all: readonly QueueAt[], isDigest: boolean): QueueAt {
  const contents = all.map(({ content }) => content);
  const cards = contents.flatMap((one) => one.cards ?? []);
  const channels = new Set(cards.map((one) => one.channel));
  const [first] = channels.size === 1 ? channels : [];
  return {
    place: { channel, campaign: isDigest ? otherDigests : otherCampaigns },
    content: {
      ...noContent,
      state: 'waiting',
      campaigns: all.length,
      waiting: total(contents.map(({ waiting }) => waiting)),
      soon: total(contents.map(({ soon }) => soon)),
      ...(isDigest
        ? { cards: { count: total(cards.map(({ count }) => count)), ...(first ? { channel: first } : {}) } }
        : {}),
      ...earliest('oldest', contents),
      ...earliest('runsOutAt', contents),
    },
  };
}

function earliest<Name extends 'oldest' | 'runsOutAt'>(name: Name, contents: readonly QueueContent[]) {
  const times = contents.flatMap((one) => one[name] ?? []);
  return times.length === 0 ? {} : { [name]: Math.min(...times) };
}

/** Orders by what runs out first, then by what is oldest; what is not known comes last. */
function compare(a: QueueContent, b: QueueContent): number {
  const never = Number.MAX_SAFE_INTEGER;
  return (a.runsOutAt ?? never) - (b.runsOutAt ?? never) || (a.oldest ?? never) - (b.oldest ?? never);
}

function total(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}
