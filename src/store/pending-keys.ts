import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import type { Vault } from './encryption.ts';
import { workspaceKey } from './keys.ts';

/** How long a member may think about the question (s). */
const answerSeconds = 900;

/** A key that waits for its member to say whether it continues an account, and what they had clicked before. */
const PendingKey = z
  .object({
    /** The account that the key may continue. */
    account: AccountId,
    sealed: z.string(),
    /** What is carried out once they are connected, or ''. */
    action: z.string(),
  })
  .readonly();

export const pendingKeyCodec = createCodec('pending-key', PendingKey);

/** Creates the store of keys whose members were asked a question: encrypted, one for each member, for a quarter of an hour. */
export function createPendingKeys(redis: Redis, vault: Vault) {
  const keyOf = (workspace: WorkspaceId, member: MemberId) => workspaceKey(workspace, 'pending-key', member);
  const purpose = (workspace: WorkspaceId, member: MemberId) => `pending-key ${workspace} ${member}`;

  return {
    async put(
      workspace: WorkspaceId,
      member: MemberId,
      { key, ...about }: { readonly key: string; readonly account: AccountId; readonly action: string },
    ): Promise<void> {
      const text = pendingKeyCodec.encode({ ...about, sealed: vault.seal(key, purpose(workspace, member)) });
      await redis.set(keyOf(workspace, member), text, 'EX', answerSeconds);
    },

    /** Returns a member's key and removes it; undefined when there is none (any more). */
    async take(
      workspace: WorkspaceId,
      member: MemberId,
    ): Promise<{ readonly key: string; readonly account: AccountId; readonly action: string } | undefined> {
      const decoded = pendingKeyCodec.decode((await redis.getdel(keyOf(workspace, member))) ?? '');
      if (!decoded.ok) return undefined;
      const { sealed, ...about } = decoded.value;
      try {
        return { ...about, key: vault.open(sealed, purpose(workspace, member)) };
      } catch {
        return undefined;
      }
    },

    async remove(workspace: WorkspaceId, member: MemberId): Promise<void> {
      await redis.del(keyOf(workspace, member));
    },
  };
}
