import { gunzipSync } from 'node:zlib';
import { Redis } from 'ioredis';
import { request } from 'undici';
import { AccountId, CampaignId, TaskId, WorkspaceId } from '../src/domain/terms.ts';
import { readChanges } from '../src/features/polling/diff-results.ts';
import type { Modules } from '../src/kit/modules.ts';
import { createMarketplaceClient } from '../src/marketplace/index.ts';
import { createCampaigns } from '../src/store/campaigns.ts';
import { createTasks } from '../src/store/tasks.ts';
import { createWorkers } from '../src/store/workers.ts';
import { cpuOf } from './report.ts';
import { idOf, ratingOf } from './results-rows.ts';

// Reads the new tasks in the results of one campaign as an import does, in a separate process.

const [marketplaceUrl = '', redisUrl = ''] = process.argv.slice(2);
const redis = new Redis(redisUrl);
const ref = { workspace: WorkspaceId.parse('T01BENCH'), account: AccountId.parse('a0') };
const campaign = CampaignId.parse('c0');
const modules = {
  tasks: createTasks(redis),
  campaigns: { ...createCampaigns(redis), workers: createWorkers(redis) },
  clock: { now: Date.now },
} as unknown as Modules;
const client = createMarketplaceClient({ baseUrl: marketplaceUrl, apiKey: 'k', deadlineMs: 300_000 });
/** The number of rows to request from the server, whatever the campaign. */
let rows = 0;
const marketplace: typeof client = {
  ...client,
  campaignResults: (_, options) => client.campaignResults(String(rows), options),
};
let body: Buffer = Buffer.alloc(0);

const commands: Readonly<Record<string, (count: number) => Promise<unknown>>> = {
  /** Makes all tasks known. */
  async know(count) {
    await redis.flushall();
    for (let from = 0; from < count; from += 10_000) {
      const known = new Map(
        Array.from({ length: Math.min(10_000, count - from) }, (_, at) => [
          TaskId.parse(idOf(from + at)),
          ratingOf(from + at),
        ]),
      );
      await modules.tasks.recordRatings(ref, campaign, known, new Map());
    }
  },
  async read(count) {
    rows = count;
    let found = 0;
    const ms = await cpuOf(async () => {
      const diff = await readChanges(modules, marketplace, ref, campaign, undefined);
      if (diff.problems.length > 0) throw new Error(JSON.stringify(diff.problems));
      found = diff.rows.length + diff.suspicions.length;
    });
    return { ms, found };
  },
  /** The unavoidable work: unpacks and parses the bytes, and looks at each once. */
  async peer(count) {
    const answer = await request(`${marketplaceUrl}/campaign_hg/results_csv/${count}`);
    body = Buffer.from(await answer.body.arrayBuffer());
    let lines = 0;
    const ms = await cpuOf(() => {
      const { csv } = JSON.parse(gunzipSync(body).toString('utf8')) as { csv: string };
      for (let at = 0; at < csv.length; at += 1) if (csv.charCodeAt(at) === 10) lines += 1;
    });
    return { ms, lines };
  },
  async memory() {
    return { now: process.memoryUsage.rss(), peak: process.resourceUsage().maxRSS * 1024 };
  },
};

process.on('message', ([name, count]: [string, number]) => {
  void commands[name]?.(count).then(
    (answer) => process.send?.(answer ?? {}),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.on('disconnect', () => process.exit());
process.send?.({});
