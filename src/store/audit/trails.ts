import type { Cluster, Redis } from 'ioredis';
import type { Trail } from '../../domain/audit.ts';
import { AccountId, WorkspaceId } from '../../domain/terms.ts';
import { createAudit } from './index.ts';
import { readSeals, sealsKey } from './sealer.ts';
import type { AuditKey } from './signatures.ts';
import { type Verification, verifyTrail } from './verify.ts';
import { auditKey } from './writer.ts';

/** Matches the keys of trails and seals, with the name of their owner. */
const keyPattern = /^proofdesk:\{([^/}]+)(?:\/([^}]+))?\}:audit(?:-seals)?$/u;

/** Returns every trail with stored data, even if only seals are left of it. */
export async function listTrails(redis: Redis): Promise<Trail[]> {
  const found = new Map<string, Trail>();
  for (const node of nodesOf(redis)) {
    for await (const keys of node.scanStream({ match: 'proofdesk:{*}:audit*', count: 1_000 })) {
      for (const key of keys as string[]) {
        const [whole, workspace = '', account] = keyPattern.exec(key) ?? [];
        if (whole === undefined) continue;
        const trail = {
          workspace: WorkspaceId.parse(workspace),
          ...(account === undefined ? {} : { account: AccountId.parse(account) }),
        };
        if (key === auditKey(trail) || key === sealsKey(trail)) found.set(auditKey(trail), trail);
      }
    }
  }
  return [...found.values()].sort((a, b) => auditKey(a).localeCompare(auditKey(b)));
}

/** A scan covers one node only. */
function nodesOf(redis: Redis): Redis[] {
  return redis.isCluster ? (redis as unknown as Cluster).nodes('master') : [redis];
}

/** Checks a stored trail, see {@link verifyTrail}. Entries that expire meanwhile are not a problem. */
export async function verifyStored(
  redis: Redis,
  trail: Trail,
  keys: readonly AuditKey[],
): Promise<Verification> {
  const audit = createAudit(redis);
  for (;;) {
    const first = await redis.lindex(sealsKey(trail), 0);
    const added = await lastAdded(redis, trail);
    const found = await verifyTrail(
      {
        trail,
        entries: () => audit.stored(trail),
        seals: () => readSeals(redis, trail),
        lastAdded: added,
      },
      keys,
    );
    const isSame = (await redis.lindex(sealsKey(trail), 0)) === first;
    if (found.problem === undefined || isSame || first === null) return found;
  }
}

/** Returns the id of the last entry that was ever added to a trail; `0-0` when there was none. */
export async function lastAdded(redis: Redis, trail: Trail): Promise<string> {
  if ((await redis.exists(auditKey(trail))) === 0) return '0-0';
  const info = (await redis.xinfo('STREAM', auditKey(trail))) as unknown[];
  const at = info.indexOf('last-generated-id');
  return at < 0 ? '0-0' : String(info[at + 1]);
}
