import type { Redis } from 'ioredis';
import type { AuditEntry, Trail } from '../../src/domain/audit.ts';
import type { BulkRatingId } from '../../src/domain/bulk-rating.ts';
import { isPending } from '../../src/domain/task.ts';
import type { AccountRef, WorkspaceId } from '../../src/domain/terms.ts';
import type { View } from '../../src/sandbox/slack/index.ts';
import { createAudit } from '../../src/store/audit/index.ts';
import { createBulkRatings } from '../../src/store/bulk-ratings.ts';
import { createSubscriptions } from '../../src/store/subscriptions.ts';
import { createTasks } from '../../src/store/tasks.ts';
import { ask } from '../harness/health.ts';
import { asId } from '../harness/ids.ts';
import type { MarketplaceHandle, MarketplaceRequest } from '../harness/marketplace.ts';
import { sandboxClient } from '../harness/slack-client.ts';
import { visibleText } from '../harness/visible-text.ts';
import type { ChannelView } from './channel-view.ts';
import type { ReviewLog } from './log.ts';
import { reviewers } from './reviewers.ts';
import type { ChaosWorld } from './world.ts';

export type MarketplaceState = Awaited<ReturnType<MarketplaceHandle['state']>>;
export type MarketplaceTask = MarketplaceState['tasks'][number];
/** A request to the marketplace about a task's rating. */
export type RatingRequest = Pick<
  MarketplaceRequest,
  'n' | 'at' | 'path' | 'form' | 'status' | 'applied' | 'error' | 'taskErrors' | 'fault'
>;

/** A time in which writes to Redis may have been lost (ms since 1970). */
export interface Loss {
  readonly from: number;
  readonly to: number;
}

/** A temporary pause of a campaign. */
export interface Pause {
  readonly campaign: string;
  readonly status: 'PAUSED' | 'PAUSED_ADMIN';
}

/** A channel that is due for a daily summary, with the time (ms since 1970); its settings have only the time of day. */
export interface ExpectedDaily {
  readonly channel: string;
  readonly at: number;
  readonly askedAt: number;
}

/** Everything by which a run is judged, at one point in time. */
export interface Evidence {
  readonly marketplace: MarketplaceState;
  readonly view: Pick<
    ChannelView,
    | 'cards'
    | 'announced'
    | 'summaries'
    | 'reminders'
    | 'notices'
    | 'campaignNotices'
    | 'channels'
    | 'unique'
    | 'goneWithChannel'
    | 'unreadable'
  >;
  readonly log: ReviewLog;
  readonly requests: readonly RatingRequest[];
  /** Every line that was in the audit trails at any time. */
  readonly audit: readonly AuditEntry[];
  /** The lines that are in the trails now, and the problems of the trails as a whole. */
  readonly auditNow: readonly AuditEntry[];
  /** The times in which Redis may have lost writes. */
  readonly losses: readonly Loss[];
  readonly pauses: readonly Pause[];
  readonly dailies: readonly ExpectedDaily[];
  /** Ids of the decisions in the current trails; a restored Redis has lost others. */
  readonly recorded: ReadonlySet<string>;
  /** Ids of tasks whose card is outdated, whose decision is due, whose decision has not ended. */
  readonly outdated: readonly string[];
  readonly due: readonly string[];
  readonly pending: readonly string[];
  /** Ids of bulk ratings that have not ended, and of confirmed ones that are no longer stored. */
  readonly bulkActive: readonly string[];
  readonly bulkUnknown: readonly string[];
  /** The text of each person's Home tab. */
  readonly homes: readonly { readonly user: string; readonly text: string }[];
  /** The problems in `/readyz` of each process; none if all are ready. */
  readonly notReady: readonly string[];
}

const workspace = asId<WorkspaceId>('T0SANDBOX');

/** A request without a status after this long has lost its connection (ms). */
const lostAfterMs = 10_000;

/** Collects requests about ratings and faults during a run, because the sandbox drops the oldest ones. */
export function createRequestCollector(marketplace: MarketplaceHandle) {
  const requests = new Map<number, RatingRequest>();
  const faults = new Map<number, string>();
  let since = 0;
  return {
    requests,
    faults,
    async collect(): Promise<void> {
      const logged = await marketplace.requests(since);
      // Pending requests are read again later, with their answers.
      const underWay = logged.find(
        ({ status, at }) => status === null && Date.now() - Date.parse(at) < lostAfterMs,
      );
      since = (underWay?.n ?? (logged.at(-1)?.n ?? since) + 1) - 1;
      for (const request of logged) {
        if (request.fault) faults.set(request.n, request.fault);
        if (!/rate_task|get_task_info/.test(request.path)) continue;
        const { n, at, path, form, status, applied, error, taskErrors, fault } = request;
        requests.set(n, {
          n,
          at,
          path,
          form,
          status,
          applied,
          ...(error === undefined ? {} : { error }),
          ...(taskErrors === undefined ? {} : { taskErrors }),
          ...(fault === undefined ? {} : { fault }),
        });
      }
    },
  };
}

/** Collects all lines that were in the audit trails at any time, because a restored Redis loses some. */
export function createTrailCollector() {
  const lines = new Map<string, AuditEntry>();
  const losses: Loss[] = [];
  const pauses: Pause[] = [];
  return {
    lines,
    losses,
    pauses,
    /** Returns the ids of the decisions that are recorded now. */
    async collect(redis: Redis): Promise<Set<string>> {
      const recorded = new Set<string>();
      for (const trail of await trailsOf(redis)) {
        for await (const line of createAudit(redis).lines(trail)) {
          lines.set(JSON.stringify(line), line);
          if (line.decision !== undefined) recorded.add(line.decision);
        }
      }
      return recorded;
    },
  };
}

/** Gathers all current evidence. */
export async function gatherEvidence(
  world: ChaosWorld,
  view: ChannelView,
  log: ReviewLog,
  requests: readonly RatingRequest[],
  trail: ReturnType<typeof createTrailCollector>,
): Promise<Evidence> {
  const stored = await world.redis.onPrimary(async (redis) => {
    const recorded = await trail.collect(redis);
    await view.refresh();
    const auditNow = await readTrails(redis);
    return { recorded, auditNow, ...(await readStored(redis, log, view)) };
  });
  const audit = [...trail.lines.values()].sort((a, b) => a.at - b.at);
  const marketplace = await world.marketplace.state();
  await view.refresh();
  const notReady = await Promise.all(
    world.bots.map(async ({ port }, index) => {
      const answer = await ask(port, '/readyz');
      return answer?.status === 200 ? [] : [`process ${index + 1}: ${answer?.text ?? 'does not listen'}`];
    }),
  );
  const homes = await readHomes(world);
  const { losses, pauses } = trail;
  const { dailies } = world;
  const told = { pauses, dailies };
  return {
    marketplace,
    view,
    log,
    requests,
    audit,
    losses,
    ...told,
    ...stored,
    homes,
    notReady: notReady.flat(),
  };
}

/** Returns every trail of the audit. */
async function trailsOf(redis: Redis): Promise<readonly Trail[]> {
  return [{ workspace }, ...(await accountsOf(redis))];
}

/** Reads the trails as they are now. */
async function readTrails(redis: Redis): Promise<AuditEntry[]> {
  const entries: AuditEntry[] = [];
  for (const trail of await trailsOf(redis))
    for await (const entry of createAudit(redis).lines(trail)) entries.push(entry);
  return entries;
}

/** Reads the pending work of all accounts. */
async function readStored(
  redis: Redis,
  log: ReviewLog,
  { channels }: ChannelView,
): Promise<Pick<Evidence, 'outdated' | 'due' | 'pending' | 'bulkActive' | 'bulkUnknown'>> {
  const outdated: string[] = [];
  const due: string[] = [];
  const pending: string[] = [];
  const bulkActive: string[] = [];
  const bulkKnown = new Set<string>();
  const tasks = createTasks(redis);
  const bulkRatings = createBulkRatings(redis);
  const decided = new Set([...log.accepted.values()].map(({ task }) => task));
  for (const ref of await accountsOf(redis)) {
    const stale = await tasks.getMany(ref, await tasks.find(ref, 'needs-render', { limit: 100_000 }));
    // A card in a deleted channel can no longer be updated.
    const isThere = ({ card }: (typeof stale)[number]) =>
      card.state !== 'posted' || channels.some(({ id }) => id === card.channel);
    outdated.push(...stale.filter(isThere).map(({ id }) => id));
    due.push(...(await tasks.find(ref, 'due', { limit: 100_000 })));
    const records = await tasks.getMany(
      ref,
      [...decided].map((id) => asId(id)),
    );
    pending.push(...records.filter(isPending).map(({ id }) => id));
    bulkActive.push(...(await bulkRatings.active(ref)));
    for (const id of log.bulk.keys())
      if (await bulkRatings.get(ref, asId<BulkRatingId>(id))) bulkKnown.add(id);
  }
  const bulkUnknown = [...log.bulk.keys()].filter((id) => !bulkKnown.has(id));
  return { outdated, due, pending, bulkActive, bulkUnknown };
}

async function accountsOf(redis: Redis): Promise<readonly AccountRef[]> {
  const polled = await createSubscriptions(redis).polledAccounts();
  return polled.filter((ref) => ref.workspace === workspace);
}

/** Reads every person's Home tab as last rendered, and opens it again for the next check. */
async function readHomes({ slack }: ChaosWorld): Promise<Evidence['homes']> {
  const client = sandboxClient(slack.url);
  const homes = await Promise.all(
    reviewers.map(async (user) => {
      const { home } = await client.get<{ home?: View }>(`views/${user}`);
      void slack.person(user).opensHome();
      return home === undefined ? [] : [{ user, text: visibleText(home.blocks) }];
    }),
  );
  return homes.flat();
}
