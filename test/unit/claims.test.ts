import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { CampaignId, MemberId, WorkspaceId } from '../../src/domain/terms.ts';
import { createAudit } from '../../src/store/audit.ts';
import { createAccountLeases } from '../../src/store/leases.ts';
import { asId } from '../harness/ids.ts';
import { twoRedisClients } from '../harness/two-redis-clients.ts';

const redis = twoRedisClients();
const workspace = asId<WorkspaceId>('T0SANDBOX');

/** A connection that ended before the answer to each command: ioredis has sent it again, and has the second answer. */
function resending(connection: Redis): Redis {
  const twice =
    (command: (...args: unknown[]) => Promise<unknown>) =>
    async (...args: unknown[]) => {
      await command(...args);
      return command(...args);
    };
  const client = connection.duplicate();
  const set = client.set.bind(client) as (...args: unknown[]) => Promise<unknown>;
  const run = client.eval.bind(client) as (...args: unknown[]) => Promise<unknown>;
  return Object.assign(client, { set: twice(set), eval: twice(run) });
}

test('what is claimed is done once, also when the answer to the claim was lost', async () => {
  const client = resending(redis.first);
  const [here, there] = [createAccountLeases(client), createAccountLeases(redis.second)];
  expect(await here.claimOnce(workspace, 'a click')).toBe(true);
  expect(await here.claimOnce(workspace, 'a click')).toBe(false);
  expect(await there.claimOnce(workspace, 'a click')).toBe(false);
  client.disconnect();
});

test('an act is claimed, and is in the audit, once, also when the answer to the claim was lost', async () => {
  const client = resending(redis.first);
  const [here, there] = [createAudit(client), createAudit(redis.second)];
  const entry = {
    at: 1,
    what: 'restart',
    by: asId<MemberId>('U01ANN'),
    how: 'click',
    campaign: asId<CampaignId>('c1'),
  } as const;
  expect(await here.claim({ workspace }, 'a restart', entry)).toBe(true);
  expect(await here.claim({ workspace }, 'a restart', entry)).toBe(false);
  expect(await there.claim({ workspace }, 'a restart', entry)).toBe(false);
  expect(await redis.second.xlen('proofdesk:{T0SANDBOX}:audit')).toBe(1);
  client.disconnect();
});
