import type { Redis } from 'ioredis';
import { z } from 'zod';
import { AccountId, type MemberId, type WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import type { KeyPlace, KeySeals, Resealed } from './key-seals.ts';
import { workspaceKey } from './keys.ts';
import { scanKeys } from './scan.ts';

/** How long a member may think about the question (s). */
const answerSeconds = 900;

/** A key whose member must say whether it continues an account, with the action that they had clicked before. */
const PendingKey = z
  .object({
    /** The account that the key may continue. */
    account: AccountId,
    sealed: z.string(),
    /** The action carried out once they are connected, or ''. */
    action: z.string(),
  })
  .readonly();

export const pendingKeyCodec = createCodec('pending-key', PendingKey);

/** Replaces a text, keeping its time to live. KEYS: pending key. ARGV: text before, after. */
const replaceScript = `
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
return 1`;

/** Creates the store of keys whose members were asked a question: encrypted, one per member, for a quarter of an hour. */
export function createPendingKeys(redis: Redis, seals: KeySeals) {
  const keyOf = (workspace: WorkspaceId, member: MemberId) => workspaceKey(workspace, 'pending-key', member);
  const placeOf = (workspace: WorkspaceId, owner: string, account: AccountId): KeyPlace => ({
    kind: 'pending-key',
    workspace,
    owner,
    account,
  });

  return {
    async put(
      workspace: WorkspaceId,
      member: MemberId,
      { key, ...about }: { readonly key: string; readonly account: AccountId; readonly action: string },
    ): Promise<void> {
      const sealed = seals.seal(key, placeOf(workspace, member, about.account));
      const text = pendingKeyCodec.encode({ ...about, sealed });
      await redis.set(keyOf(workspace, member), text, 'EX', answerSeconds);
    },

    /** Removes and returns a member's key; undefined when there is none (any more). */
    async take(
      workspace: WorkspaceId,
      member: MemberId,
    ): Promise<{ readonly key: string; readonly account: AccountId; readonly action: string } | undefined> {
      const decoded = pendingKeyCodec.decode((await redis.getdel(keyOf(workspace, member))) ?? '');
      if (!decoded.ok) return undefined;
      const { sealed, ...about } = decoded.value;
      const opened = seals.open(sealed, placeOf(workspace, member, about.account));
      return opened && { ...about, key: opened.key };
    },

    /** Seals every pending key with the first encryption key where it is not already. Returns the result for each. */
    async reseal(workspace: WorkspaceId): Promise<Resealed[]> {
      const results: Resealed[] = [];
      const prefix = workspaceKey(workspace, 'pending-key', '');
      for await (const name of scanKeys(redis, `${prefix}*`)) {
        const text = await redis.get(name);
        // The question was answered, or has expired.
        if (text === null) continue;
        const decoded = pendingKeyCodec.decode(text);
        const value = decoded.ok ? decoded.value : undefined;
        const opened =
          value && seals.open(value.sealed, placeOf(workspace, name.slice(prefix.length), value.account));
        if (value && opened?.resealed !== undefined) {
          const after = pendingKeyCodec.encode({ ...value, sealed: opened.resealed });
          await redis.eval(replaceScript, 1, name, text, after);
        }
        results.push(opened === undefined ? 'unreadable' : opened.resealed ? 'resealed' : 'current');
      }
      return results;
    },

    async remove(workspace: WorkspaceId, member: MemberId): Promise<void> {
      await redis.del(keyOf(workspace, member));
    },
  };
}
