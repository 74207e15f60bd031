import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import {
  AccountId,
  type AccountRef,
  CampaignId,
  ChannelId,
  MemberId,
  type WorkspaceId,
} from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/**
 * A channel that gets a digest of the waiting tasks of an account or a campaign, without cards. A scope may have any number.
 */
const Digest = z
  .object({
    account: AccountId,
    /** Absent: all campaigns of the account. */
    campaign: CampaignId.exactOptional(),
    channel: ChannelId,
    by: MemberId,
    at: z.number(),
  })
  .readonly();
type Digest = z.infer<typeof Digest>;

export const digestCodec = createCodec('digest', Digest);

export type Digests = ReturnType<typeof createDigests>;

/** Creates the store of digests: which channels are told of which queues, per workspace. */
export function createDigests(redis: Redis, logger?: ErrorLogger, audit: AuditWriter = createAuditWriter()) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'digests');
  const fieldOf = ({ account, campaign, channel }: Pick<Digest, 'account' | 'campaign' | 'channel'>) =>
    `${channel} ${account}/${campaign ?? '*'}`;
  const stored = createStoredHash(redis, { codec: digestCodec, field: z.string() }, logger);
  const about = ({ account, campaign, channel }: Digest) => ({
    account,
    ...(campaign === undefined ? {} : { campaign }),
    channel,
    after: 'digest',
  });

  const sorted = (found: ReadonlyMap<string, Digest>) => [...found.values()].sort((a, b) => a.at - b.at);

  async function all(workspace: WorkspaceId): Promise<Digest[]> {
    return sorted(await stored.all(key(workspace)));
  }

  return {
    all,

    async ofAccount({ workspace, account }: AccountRef): Promise<Digest[]> {
      return (await all(workspace)).filter((digest) => digest.account === account);
    },

    /** Stores a digest. Resolves to false when the channel already has it. */
    async put(workspace: WorkspaceId, digest: Digest): Promise<boolean> {
      const before = await stored.update(
        key(workspace),
        fieldOf(digest),
        (had) => had ?? digest,
        (had) =>
          had === undefined
            ? audit({ workspace }, { what: 'subscribe', by: digest.by, how: 'command', ...about(digest) })
            : undefined,
      );
      return before === undefined;
    },

    /** Follows a channel that Slack has given another id. */
    async followChannel(workspace: WorkspaceId, from: ChannelId, to: ChannelId): Promise<void> {
      for (const digest of await all(workspace)) {
        if (digest.channel !== from) continue;
        const moved = { ...digest, channel: to };
        await stored.update(key(workspace), fieldOf(moved), (had) => had ?? moved);
        await stored.update(key(workspace), fieldOf(digest), () => undefined);
      }
    },

    /** Removes and returns a channel's digests. */
    async removeChannel(
      workspace: WorkspaceId,
      channel: ChannelId,
      actor: Pick<NewAuditEntry, 'by' | 'how'> = {},
    ): Promise<Digest[]> {
      const ended = (await all(workspace)).filter((digest) => digest.channel === channel);
      for (const digest of ended)
        await stored.update(
          key(workspace),
          fieldOf(digest),
          () => undefined,
          () => audit({ workspace }, { what: 'unsubscribe', ...actor, ...about(digest) }),
        );
      return ended;
    },
  };
}
