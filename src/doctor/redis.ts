import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import type { WorkspaceId } from '../domain/terms.ts';
import { messageOf, UserError } from '../errors.ts';
import { createAccounts } from '../store/accounts.ts';
import { createVault, loadEncryptionKeys } from '../store/encryption.ts';
import { unreadableKey } from '../store/keys.ts';
import { forbiddenCommands, forbiddenText, mayReadInfo, openRedis, untilReady } from '../store/redis.ts';
import { countUnreadable } from '../store/stored-hash.ts';
import { type Finding, note, ok, wrong } from './finding.ts';
import { checkRedisSafety } from './redis-safety.ts';

const subject = 'Redis';

/** Checks the Redis of REDIS_URL, or the requirements of a private one. */
export async function checkRedis(config: Config, workspace: WorkspaceId | undefined): Promise<Finding[]> {
  return config.redisUrl === undefined
    ? checkPrivate(config.dataDir)
    : checkGiven(config.redisUrl, config, workspace);
}

async function checkPrivate(dataDir: string): Promise<Finding[]> {
  const folder = resolve(dataDir);
  const server = await promisify(execFile)('redis-server', ['--version']).then(
    ({ stdout }) =>
      ok(subject, `a private redis-server ${versionOf(stdout, /v=(\S+)/)} starts with the bot.`),
    () =>
      wrong(
        subject,
        'redis-server is not installed. Run "npm run setup", or set REDIS_URL to the address of a Redis.',
      ),
  );
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return [server, ok('DATA_DIR', `${folder} is writable.`)];
  } catch (error) {
    return [
      server,
      wrong('DATA_DIR', `${folder} is not writable (${messageOf(error)}). Set it to a writable folder.`),
    ];
  }
}

async function checkGiven(
  url: string,
  config: Config,
  workspace: WorkspaceId | undefined,
): Promise<Finding[]> {
  const redis = openRedis(url);
  let reason = '';
  redis.on('error', (error) => {
    reason = messageOf(error);
  });
  try {
    await untilReady(redis);
    const forbidden = await forbiddenCommands(redis);
    if (forbidden.length > 0) return [wrong(subject, forbiddenText(forbidden))];
    const info = (await mayReadInfo(redis)) ? await redis.info() : undefined;
    const unreadable = workspace
      ? await createAccounts(redis, createVault(await loadEncryptionKeys(config))).unreadable(workspace)
      : 0;
    return [
      ...(info === undefined
        ? [withoutInfo]
        : [checkVersion(info), ...checkPersistence(info), checkEviction(info)]),
      ...(await checkRedisSafety(redis)),
      checkStoredValues(await countUnreadable(redis)),
      checkKeys(unreadable),
    ];
  } catch (error) {
    if (error instanceof UserError) return [wrong('PROOFDESK_KEY_FILE', error.message)];
    const why = reason || messageOf(error);
    return [
      wrong(
        subject,
        /^(WRONGPASS|NOAUTH)/.test(why)
          ? 'it does not accept the user name or password in REDIS_URL. Correct them.'
          : `it cannot be reached (${why.split('\n')[0]}). Start it, or correct REDIS_URL.`,
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

const withoutInfo = note(
  subject,
  'it answers, but does not let the user of REDIS_URL run INFO. Check yourself: version 6.2 or newer, appendonly yes, maxmemory-policy noeviction.',
);

function versionOf(text: string, shape: RegExp): string {
  return shape.exec(text)?.[1] ?? '';
}

function checkVersion(info: string): Finding {
  const version = versionOf(info, /^redis_version:(\S+)/m);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2)
    ? ok(subject, `it answers, version ${version}.`)
    : wrong(subject, `version ${version} is too old. Use 6.2 or newer.`);
}

function checkPersistence(info: string): Finding[] {
  if (/^loading:1/m.test(info))
    return [wrong('Redis persistence', 'it is still loading its data. Run this again in a minute.')];
  return /^aof_enabled:1/m.test(info)
    ? [ok('Redis persistence', 'its append-only file is on.')]
    : [
        wrong(
          'Redis persistence',
          'its append-only file is off, so a restart of Redis would lose decisions. Set "appendonly yes" in its configuration, or run CONFIG SET appendonly yes.',
        ),
      ];
}

function checkEviction(info: string): Finding {
  const policy = versionOf(info, /^maxmemory_policy:(\S+)/m);
  if (policy === '')
    return note('Redis memory', 'it does not report its eviction policy. Make sure that it is noeviction.');
  return policy === 'noeviction'
    ? ok('Redis memory', 'its eviction policy is noeviction.')
    : wrong(
        'Redis memory',
        `its eviction policy is ${policy}, which deletes data when memory is full. Set maxmemory-policy noeviction.`,
      );
}

function checkStoredValues(unreadable: number): Finding {
  const name = 'Redis data';
  if (unreadable === 0) return ok(name, 'every stored value could be read.');
  const values = unreadable === 1 ? 'one stored value' : `${unreadable} stored values`;
  return note(
    name,
    `${values} could not be read and ${unreadable === 1 ? 'was' : 'were'} moved to ${unreadableKey}. Search the log for stored-value-unreadable to see which. Delete that key when you are done; it expires after 30 days.`,
  );
}

function checkKeys(unreadable: number): Finding {
  const name = 'PROOFDESK_ENCRYPTION_KEYS';
  if (unreadable === 0) return ok(name, 'they decrypt every stored API key.');
  const keys = unreadable === 1 ? 'one stored API key' : `${unreadable} stored API keys`;
  return wrong(
    name,
    `they do not decrypt ${keys}. Add the old key after the new one, separated by a comma; or ask those members to connect again.`,
  );
}
