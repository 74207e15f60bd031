import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Config } from '../config.ts';
import type { WorkspaceId } from '../domain/terms.ts';
import { messageOf } from '../errors.ts';
import { createAccounts } from '../store/accounts.ts';
import { createVault } from '../store/encryption.ts';
import { unreadableKey } from '../store/keys.ts';
import { openRedis } from '../store/redis.ts';
import { countUnreadable } from '../store/unreadable.ts';
import { type Finding, note, ok, wrong } from './finding.ts';

const piece = 'Redis';

/** Checks where decisions are kept: the Redis of REDIS_URL, or what a private one needs. */
export async function checkRedis(config: Config, workspace: WorkspaceId | undefined): Promise<Finding[]> {
  return config.redisUrl === undefined
    ? checkPrivate(config.dataDir)
    : checkGiven(config.redisUrl, config.encryptionKeys, workspace);
}

async function checkPrivate(dataDir: string): Promise<Finding[]> {
  const folder = resolve(dataDir);
  const server = await promisify(execFile)('redis-server', ['--version']).then(
    ({ stdout }) =>
      ok(piece, `a private redis-server ${versionOf(stdout, /v=(\S+)/)} is started with the bot.`),
    () =>
      wrong(
        piece,
        'redis-server is not installed. Run "npm run setup", or give the address of a Redis in REDIS_URL.',
      ),
  );
  try {
    await mkdir(folder, { recursive: true });
    await access(folder, constants.W_OK);
    return [server, ok('DATA_DIR', `${folder} can be written to.`)];
  } catch (error) {
    return [
      server,
      wrong('DATA_DIR', `${folder} cannot be written to (${messageOf(error)}). Set it to a folder that can.`),
    ];
  }
}

async function checkGiven(
  url: string,
  keys: readonly Buffer[],
  workspace: WorkspaceId | undefined,
): Promise<Finding[]> {
  const redis = openRedis(url);
  let reason = '';
  redis.on('error', (error) => {
    reason = messageOf(error);
  });
  try {
    const info = await redis.info();
    const unreadable = workspace ? await createAccounts(redis, createVault(keys)).unreadable(workspace) : 0;
    return [
      checkVersion(info),
      ...checkPersistence(info),
      checkEviction(info),
      checkStoredValues(await countUnreadable(redis)),
      checkKeys(unreadable),
    ];
  } catch (error) {
    const why = reason || messageOf(error);
    return [
      wrong(
        piece,
        /^(WRONGPASS|NOAUTH)/.test(why)
          ? 'it does not accept the user name or password in REDIS_URL. Correct it.'
          : `it cannot be reached (${why.split('\n')[0]}). Start it, or correct REDIS_URL.`,
      ),
    ];
  } finally {
    redis.disconnect();
  }
}

function versionOf(text: string, shape: RegExp): string {
  return shape.exec(text)?.[1] ?? '';
}

function checkVersion(info: string): Finding {
  const version = versionOf(info, /^redis_version:(\S+)/m);
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2)
    ? ok(piece, `it answers, version ${version}.`)
    : wrong(piece, `its version ${version} is too old. Use 6.2 or newer.`);
}

function checkPersistence(info: string): Finding[] {
  if (/^loading:1/m.test(info)) return [wrong('Redis persistence', 'it is still loading. Run this again.')];
  return /^aof_enabled:1/m.test(info)
    ? [ok('Redis persistence', 'its append-only file is on.')]
    : [
        wrong(
          'Redis persistence',
          'its append-only file is off: a restart of Redis would lose decisions. Set "appendonly yes" in its configuration, or CONFIG SET appendonly yes.',
        ),
      ];
}

function checkEviction(info: string): Finding {
  const policy = versionOf(info, /^maxmemory_policy:(\S+)/m);
  if (policy === '') return note('Redis memory', 'it does not say what it does when its memory is full.');
  return policy === 'noeviction'
    ? ok('Redis memory', 'nothing is thrown away when it is full.')
    : wrong(
        'Redis memory',
        `with ${policy} it throws data away when it is full. Set maxmemory-policy noeviction.`,
      );
}

function checkStoredValues(unreadable: number): Finding {
  const name = 'Redis data';
  if (unreadable === 0) return ok(name, 'no stored value is set aside as unreadable.');
  const values = unreadable === 1 ? 'one stored value' : `${unreadable} stored values`;
  return note(
    name,
    `${values} could not be read and ${unreadable === 1 ? 'was' : 'were'} set aside in ${unreadableKey}. The log says which (stored-value-unreadable). Delete that key when you have looked at it; it expires after 30 days.`,
  );
}

function checkKeys(unreadable: number): Finding {
  const name = 'PROOFDESK_ENCRYPTION_KEYS';
  if (unreadable === 0) return ok(name, 'they open every API key that is kept.');
  const keys = unreadable === 1 ? 'one API key that is' : `${unreadable} API keys that are`;
  return wrong(
    name,
    `they do not open ${keys} kept. Put the old key back, behind a comma after the new one; or have those members connect again.`,
  );
}
