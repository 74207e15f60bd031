import { ConfigError, readStorageConfig } from './config.ts';
import { messageOf, UserError } from './errors.ts';
import { deriveAuditKeys, nameOfTrail } from './store/audit/signatures.ts';
import { listTrails, verifyStored } from './store/audit/trails.ts';
import { atTime, type Verification } from './store/audit/verify.ts';
import { loadEncryptionKeys } from './store/encryption-key-file.ts';
import { privateRedisUrl, startPrivateRedis } from './store/private-redis.ts';
import { openRedis } from './store/redis.ts';

const usage = `Usage: npm run audit -- verify

Checks that no entry of the audit was changed, removed or inserted. Reads REDIS_URL or DATA_DIR, and
PROOFDESK_ENCRYPTION_KEYS or PROOFDESK_KEY_FILE, as the bot does. Exit code 1 when something is wrong.`;

/** Formats the state of an account's trail as lines. */
function linesOf(name: string, found: Verification): string[] {
  const { entries, seals, unsealed, unsealedSince, notes, problem, head } = found;
  const of = name.includes('/')
    ? `Account ${name}`
    : `Workspace ${name} (keys, subscriptions, new campaigns)`;
  const since = unsealedSince === undefined ? '' : `, the first of ${atTime(unsealedSince)}`;
  const parts = [
    counted(entries, 'entry', 'entries'),
    counted(seals, 'seal', 'seals'),
    ...(unsealed > 0 ? [`${unsealed} not sealed yet${since}`] : []),
  ];
  return [
    `${problem === undefined ? 'ok   ' : 'WRONG'}  ${of}: ${parts.join(', ')}.`,
    ...(problem === undefined ? [] : [`       First problem: ${problem}`]),
    ...notes.map((text) => `       ${text}`),
    ...(head === undefined ? [] : [`       Last seal: ${head.n} ${head.mac}`]),
  ];
}

function counted(count: number, one: string, several: string): string {
  return `${count} ${count === 1 ? one : several}`;
}

/** Connects to the data: to a running Redis, else to the private one, which is started for the duration of the read. */
async function connect({ redisUrl, dataDir }: ReturnType<typeof readStorageConfig>) {
  const open = async (url: string, stop: () => Promise<void>) => {
    const redis = openRedis(url);
    redis.on('error', () => undefined);
    const close = async () => {
      redis.disconnect();
      await stop();
    };
    try {
      await redis.ping();
      return { redis, close };
    } catch (error) {
      await close();
      throw new UserError(`Redis cannot be read (${messageOf(error)}).`);
    }
  };
  if (redisUrl !== undefined) return open(redisUrl, async () => undefined);
  const running = await privateRedisUrl(dataDir);
  if (running === undefined)
    throw new UserError(`There are no data in ${dataDir}. Set REDIS_URL or DATA_DIR.`);
  return open(running, async () => undefined).catch(async () => {
    const own = await startPrivateRedis({ dataDir });
    return open(own.url, () => own.stop());
  });
}

async function verify(): Promise<boolean> {
  const config = readStorageConfig(process.env);
  const { redis, close } = await connect(config);
  try {
    const keys = deriveAuditKeys(await loadEncryptionKeys(config));
    const trails = await listTrails(redis);
    if (trails.length === 0) process.stdout.write('There are no entries.\n');
    let isRight = true;
    for (const trail of trails) {
      const found = await verifyStored(redis, trail, keys);
      process.stdout.write(`${linesOf(nameOfTrail(trail), found).join('\n')}\n`);
      if (found.problem !== undefined) isRight = false;
    }
    return isRight;
  } finally {
    await close();
  }
}

try {
  if (process.argv[2] !== 'verify') throw new UserError(usage);
  process.exitCode = (await verify()) ? 0 : 1;
} catch (error) {
  const isExpected = error instanceof UserError || error instanceof ConfigError;
  process.stderr.write(`${isExpected ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? 78 : 2;
}
