import type { Redis } from 'ioredis';
import type { Config } from '../config.ts';
import { WorkspaceId } from '../domain/terms.ts';
import { messageOf, UserError } from '../errors.ts';
import { createAccounts } from '../store/accounts.ts';
import { createVault } from '../store/encryption.ts';
import { loadEncryptionKeys } from '../store/encryption-key-file.ts';
import type { Resealed } from '../store/key-seals.ts';
import { workspaceKey } from '../store/keys.ts';
import { startPrivateRedis } from '../store/private-redis.ts';
import { openRedis, untilReady } from '../store/redis.ts';
import { scanKeys } from '../store/scan.ts';
import { type Finding, ok, wrong } from './finding.ts';

const subject = 'Encryption';

/** Encrypts every stored API key, of all workspaces, with the first encryption key. The bot may be running. */
export async function resealKeys(config: Config): Promise<Finding[]> {
  let close: () => Promise<void> = async () => undefined;
  try {
    const keys = await loadEncryptionKeys(config);
    const server = config.redisUrl === undefined ? await startPrivateRedis(config) : undefined;
    const redis = openRedis(server?.url ?? config.redisUrl ?? '');
    redis.on('error', () => undefined);
    close = async () => {
      redis.disconnect();
      await server?.stop();
    };
    await untilReady(redis);
    return [resultOf(await resealAll(redis, createAccounts(redis, createVault(keys))))];
  } catch (error) {
    const why = error instanceof UserError ? error.message : `nothing can be read (${messageOf(error)}).`;
    return [wrong(subject, why)];
  } finally {
    await close();
  }
}

async function resealAll(redis: Redis, accounts: ReturnType<typeof createAccounts>): Promise<Resealed[]> {
  const results: Resealed[] = [];
  for (const workspace of await workspacesWithKeys(redis))
    results.push(...(await accounts.reseal(workspace)));
  return results;
}

/** Returns the workspaces that have keys. */
async function workspacesWithKeys(redis: Redis): Promise<WorkspaceId[]> {
  const anywhere = '*' as WorkspaceId;
  const found = new Set<WorkspaceId>();
  for await (const key of scanKeys(redis, workspaceKey(anywhere, 'api-keys'))) {
    const [, id] = /\{([^/}]+)\}/.exec(key) ?? [];
    if (id !== undefined) found.add(WorkspaceId.parse(id));
  }
  return [...found];
}

function resultOf(results: readonly Resealed[]): Finding {
  const count = (result: Resealed) => results.filter((each) => each === result).length;
  const unreadable = count('unreadable');
  const done = `${count('resealed')} of ${results.length} stored API keys were re-encrypted with the first key.`;
  return unreadable === 0
    ? ok(subject, `${done} The other encryption keys are not needed any more: remove them.`)
    : wrong(
        subject,
        `${done} ${unreadable} cannot be decrypted with any of the keys. Add the key that is missing, or ask those members to connect again.`,
      );
}
