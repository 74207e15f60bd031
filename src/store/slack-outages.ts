import type { Redis } from 'ioredis';
import { z } from 'zod';
import { ChannelId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

const LateCards = z.object({ channel: ChannelId, cards: z.number() }).readonly();
export type LateCards = z.infer<typeof LateCards>;

/** A time in which nothing could be posted in Slack, until its cards are up to date and its channels told. */
const SlackOutage = z
  .object({
    since: z.number(),
    /** When Slack worked again (ms); absent while it does not. */
    until: z.number().exactOptional(),
    /** The delayed cards, by account. */
    late: z.record(z.string(), z.array(LateCards).readonly()).readonly(),
  })
  .readonly();
export type SlackOutage = z.infer<typeof SlackOutage>;

export const slackOutageCodec = createCodec('slack-outage', SlackOutage);

/** The only field of a workspace. */
const field = 'slack';

export type SlackOutages = ReturnType<typeof createSlackOutages>;

/** Creates the store of the latest outage of Slack in a workspace. */
export function createSlackOutages(redis: Redis, logger?: ErrorLogger) {
  const stored = createStoredHash(redis, { codec: slackOutageCodec, field: z.string() }, logger);
  const keyOf = (workspace: WorkspaceId) => workspaceKey(workspace, 'slack-outage');

  return {
    async get(workspace: WorkspaceId): Promise<SlackOutage | undefined> {
      return stored.get(keyOf(workspace), field);
    },

    /** Records an outage and how many cards of an account it delays: the maximum counted so far. */
    async record(
      workspace: WorkspaceId,
      { since, until }: Pick<SlackOutage, 'since' | 'until'>,
      account: string,
      cards: readonly LateCards[],
    ): Promise<void> {
      await stored.update(keyOf(workspace), field, (before) => ({
        since: Math.min(before?.since ?? since, since),
        ...(until === undefined ? {} : { until }),
        late: { ...before?.late, [account]: most(before?.late[account] ?? [], cards) },
      }));
    },

    /** Removes an outage as it was read. Resolves to true for the caller that must tell people. */
    async end(workspace: WorkspaceId, outage: SlackOutage): Promise<boolean> {
      return stored.replace(keyOf(workspace), field, outage, undefined);
    },
  };
}

/** Returns the larger number of each channel: a later count may find that some cards are already up to date. */
function most(before: readonly LateCards[], now: readonly LateCards[]): LateCards[] {
  const byChannel = new Map(before.map(({ channel, cards }) => [channel, cards]));
  for (const { channel, cards } of now) byChannel.set(channel, Math.max(cards, byChannel.get(channel) ?? 0));
  return [...byChannel].map(([channel, cards]) => ({ channel, cards }));
}
