import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { NewAuditEntry } from '../domain/audit.ts';
import { AccountId, type AccountRef, ChannelId, MemberId, type WorkspaceId } from '../domain/terms.ts';
import { type AuditWriter, createAuditWriter } from './audit/writer.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Somebody's choice where an account's inbox messages go. */
const InboxChannel = z
  .object({
    /** Absent: to no channel; Home shows them. */
    channel: ChannelId.exactOptional(),
    /** Absent: it comes from the configuration (INBOX_CHANNEL). */
    by: MemberId.exactOptional(),
    at: z.number(),
  })
  .readonly();
export type InboxChannel = z.infer<typeof InboxChannel>;

export const inboxChannelCodec = createCodec('inbox-channel', InboxChannel);

export type InboxChannels = ReturnType<typeof createInboxChannels>;

/** Creates the store of the channels chosen for the inboxes of accounts. */
export function createInboxChannels(
  redis: Redis,
  logger?: ErrorLogger,
  audit: AuditWriter = createAuditWriter(),
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'inbox-channels');
  const stored = createStoredHash(redis, { codec: inboxChannelCodec, field: AccountId }, logger);

  async function accountsIn(workspace: WorkspaceId, channel: ChannelId): Promise<AccountId[]> {
    const all = await stored.all(key(workspace));
    return [...all].flatMap(([account, choice]) => (choice.channel === channel ? [account] : []));
  }

  return {
    /** Returns the choice for an account; undefined when nobody has chosen. */
    async get({ workspace, account }: AccountRef): Promise<InboxChannel | undefined> {
      return stored.get(key(workspace), account);
    },

    /** Returns the accounts whose inbox goes to a channel. */
    accountsIn,

    /** Follows a channel that Slack has given another id. */
    async followChannel(workspace: WorkspaceId, from: ChannelId, to: ChannelId): Promise<void> {
      for (const account of await accountsIn(workspace, from))
        await stored.update(key(workspace), account, (before) =>
          before?.channel === from ? { ...before, channel: to } : before,
        );
    },

    /** Stores a choice, with an audit entry in the same step. Returns whether the inbox now goes elsewhere. */
    async choose(
      { workspace, account }: AccountRef,
      choice: InboxChannel,
      { how }: Pick<NewAuditEntry, 'how'>,
    ): Promise<boolean> {
      const { channel, by } = choice;
      let changed = false;
      await stored.update(
        key(workspace),
        account,
        (before) => {
          changed = before === undefined || before.channel !== channel;
          return changed ? choice : before;
        },
        (before) => {
          const was = before?.channel === undefined ? {} : { before: before.channel };
          const is = channel === undefined ? {} : { channel };
          const actor = { ...(by === undefined ? {} : { by }), ...(how === undefined ? {} : { how }) };
          return audit({ workspace }, { what: 'choose inbox channel', ...actor, account, ...is, ...was });
        },
      );
      return changed;
    },
  };
}
