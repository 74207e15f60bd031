import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { AccountRef, ChannelId, WorkspaceId } from '../domain/terms.ts';
import { accountKey, createCodec, workspaceKey } from './format.ts';
import { scriptIn } from './scripts.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/** The limits for calls to Slack, and for reading results. */
export interface RateLimits {
  /** Slack: about one message a second and channel. */
  readonly channelMs: number;
  /** Slack: several hundred messages a minute and workspace. */
  readonly workspaceMs: number;
  /**
   * Distance between two calls of a method while Slack limits it, and for a minute after one had to wait. The lowest limit in
   * use is that of Tier 3, 50 a minute (https://docs.slack.dev/apis/web-api/rate-limits).
   */
  readonly limitedMs: number;
  /**
   * Bytes of results CSV read per minute and account, for campaigns large enough to count. A whole minute's allowance may be
   * read at once, so that a new task does not wait for the read that found the previous one.
   */
  readonly csvBytesPerMinute: number;
  /** Requests to the marketplace per second, with one API key and from one process; defaults to what its client assumes. */
  readonly marketplacePerSecond?: number;
}

export const defaultRateLimits: RateLimits = {
  channelMs: 1_000,
  workspaceMs: 150,
  limitedMs: 1_300,
  csvBytesPerMinute: 16_000_000,
};

/** Limit of unused time that counts when results are read (ms). */
const csvBurstMs = 60_000;

/** Slack counts calls per minute: a channel that it limits for longer waits alone. */
const minuteMs = 60_000;

/** How long the calls of a method wait that Slack limits somewhere, unless it limits the channel for longer (ms). */
const longestForAllMs = 2_000;

export const postMethod = 'chat.postMessage';
export const updateMethod = 'chat.update';

/** A Slack method and where it is called: the unit that Slack limits. */
export interface LimitedCall {
  readonly workspace: WorkspaceId;
  readonly method: string;
  /** Absent for methods that name no channel. */
  readonly channel?: ChannelId;
  /**
   * Whether nobody waits for the call, which matters unless it is a post. While Slack limits one of these in a channel, all
   * of the workspace wait: a thousand channels are not tried in turn. While it limits the method, others go first.
   */
  readonly isBackground?: boolean;
}

export type RateLimiter = ReturnType<typeof createRateLimiter>;

const countCall = scriptIn('count-call');
const holdCalls = scriptIn('hold-calls');
const reserveRead = scriptIn('reserve-read');

/**
 * Creates the rate limiter, whose state is what all processes have called and what Slack has answered.
 * @param now the bot's time
 */
export function createRateLimiter(redis: Redis, limits: RateLimits, now: () => number = Date.now) {
  function keysOf({ workspace, method, channel }: LimitedCall) {
    const place = channel ?? 'everywhere';
    const key = (...parts: string[]) => workspaceKey(workspace, 'rate-limit', method, ...parts);
    return {
      held: key('held', place),
      calledInChannel: key('called', place),
      called: key('called'),
      calledForBackground: key('called-background'),
      heldForBackground: key('held-background'),
      limited: key('limited'),
    };
  }

  /** Slack takes twice as many calls of the methods of Tier 4. */
  const limitedMs = (method: string) => Math.ceil(limits.limitedMs / (method.startsWith('views.') ? 2 : 1));

  return {
    /** Returns 0 if a call may be made now, and counts it as made. Returns how long it has to wait otherwise (ms). */
    async acquire(call: LimitedCall): Promise<number> {
      const isPost = call.method === postMethod;
      const spacing = isPost ? [Math.ceil(limits.channelMs), Math.ceil(limits.workspaceMs)] : [0, 0];
      const args = [...spacing, limitedMs(call.method), call.isBackground && !isPost ? 1 : 0, minuteMs];
      return Number(await countCall(redis, Object.values(keysOf(call)), args));
    },

    /** Holds up a call that Slack has limited for `retryAfterMs`, and paces the others of its method for a minute. */
    async blockFor(call: LimitedCall, retryAfterMs: number): Promise<void> {
      const { method, isBackground } = call;
      const keys = keysOf(call);
      const holds = new Map([[keys.held, retryAfterMs]]);
      if (method !== postMethod) {
        const forAllMs = Math.max(limitedMs(method), Math.min(retryAfterMs, longestForAllMs));
        holds.set(keys.limited, minuteMs).set(keys.called, forAllMs);
        if (isBackground) holds.set(keys.heldForBackground, Math.min(retryAfterMs, minuteMs));
      }
      const times = [...holds.values()].map((ms) => Math.max(1, Math.ceil(ms)));
      await holdCalls(redis, [...holds.keys()], times);
    },

    /** Reserves a read of a results CSV of this size. Returns the wait (ms). */
    async acquireCsv(ref: AccountRef, bytes: number): Promise<number> {
      const busyMs = Math.ceil((bytes * 60_000) / limits.csvBytesPerMinute);
      const key = accountKey(ref, 'rate-limit', 'csv');
      return Number(await reserveRead(redis, [key], [busyMs, csvBurstMs, now()]));
    },
  };
}

/** Failures in a row of Slack, a channel or an account, and the pause in which jobs do not call it. */
const Pause = z
  .object({
    /** Why the last call failed. */
    code: z.string(),
    /** When the first and the last of the calls in a row failed (ms), and how many did. */
    since: z.number(),
    failedAt: z.number(),
    failures: z.number(),
    /** When the pause ends (ms); absent while there are too few failures for one. */
    until: z.number().exactOptional(),
    /** Until when the job that probes after the pause may take (ms). */
    probeUntil: z.number().exactOptional(),
  })
  .readonly();
export type Pause = z.infer<typeof Pause>;

export const pauseCodec = createCodec('pause', Pause);

/** The longest pause as a multiple of the first one. */
const longestFactor = 60;
/** A pause is over if nobody has probed for this multiple of the first one: nobody needs what failed any more. */
const abandonedFactor = 600;

/** Permission of a job to call: at once, unless `waitMs` says how long to wait, and `code` why. */
interface Entry {
  readonly waitMs: number;
  readonly code: string;
  readonly isProbe: boolean;
  /** Ends a probe whose call was not made or says nothing: another job may probe at once. */
  readonly release: () => Promise<void>;
}

export type Pauses = ReturnType<typeof createPauses>;

/**
 * Creates the pauses of a workspace, shared by all processes: `slack`, `channel C1`, `account a1`. Failures in a row begin
 * one, in which jobs do not call. When it ends, one job calls: a success ends the failures, a failure doubles the pause.
 * @param firstMs length of the first pause (ms)
 * @param probeMs how long a probe may take (ms): longer than any one call
 */
export function createPauses(
  redis: Redis,
  {
    now,
    firstMs,
    probeMs,
  }: { readonly now: () => number; readonly firstMs: number; readonly probeMs: number },
  logger?: ErrorLogger,
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'pauses');
  const stored = createStoredHash(redis, { codec: pauseCodec, field: z.string(), key }, logger);

  return {
    /** Asks whether a job may make a call that needs all of these. */
    async enter(workspace: WorkspaceId, names: readonly string[]): Promise<Entry> {
      const probes: { readonly name: string; readonly before: Pause; readonly probing: Pause }[] = [];
      const release = async () => {
        for (const { name, before, probing } of probes)
          await stored.replace(workspace, name, probing, before);
      };
      for (const [name, pause] of await stored.getMany(workspace, names)) {
        if (pause.until === undefined) continue;
        const at = now();
        let waitMs = pause.until - at;
        if (waitMs <= 0) {
          const probing = { ...pause, probeUntil: at + probeMs };
          const isProbe =
            at >= (pause.probeUntil ?? 0) && (await stored.replace(workspace, name, pause, probing));
          if (isProbe) probes.push({ name, before: pause, probing });
          // While somebody else probes, the others do not ask every moment.
          else waitMs = Math.max(firstMs, (pause.until - pause.failedAt) / 4);
        }
        if (waitMs <= 0) continue;
        await release();
        return { waitMs, code: pause.code, isProbe: false, release };
      }
      return { waitMs: 0, code: '', isProbe: probes.length > 0, release };
    },

    /**
     * Records a failed call. Resolves to true when a pause begins with it.
     * @param began when the call began (ms): one from before the last failure proves nothing new
     * @param pausesAfter number of failures in a row that begin a pause
     */
    async fail(
      workspace: WorkspaceId,
      name: string,
      {
        code,
        began,
        pausesAfter,
      }: { readonly code: string; readonly began: number; readonly pausesAfter: number },
    ): Promise<boolean> {
      let begins = false;
      await stored.update(workspace, name, (before) => {
        begins = false;
        if (before?.until !== undefined && began < before.failedAt) return before;
        const at = now();
        const failures = (before?.failures ?? 0) + 1;
        const failed = { code, since: before?.since ?? at, failedAt: at, failures };
        if (failures < pausesAfter) return failed;
        begins = before?.until === undefined;
        const ms = firstMs * Math.min(2 ** (failures - pausesAfter), longestFactor);
        return { ...failed, until: at + ms };
      });
      return begins;
    },

    /** Records a call that succeeded. Resolves to the pause that it ends, if any. @param began when it began (ms) */
    async succeed(workspace: WorkspaceId, name: string, began: number): Promise<Pause | undefined> {
      const isOver = (pause: Pause | undefined) => pause !== undefined && pause.failedAt <= began;
      const before = await stored.update(workspace, name, (pause) => (isOver(pause) ? undefined : pause));
      return isOver(before) && before?.until !== undefined ? before : undefined;
    },

    /** Returns what is paused in a workspace, by name. */
    async all(workspace: WorkspaceId): Promise<Map<string, Pause>> {
      const isPaused = ({ until, failedAt }: Pause) =>
        until !== undefined && failedAt > now() - abandonedFactor * firstMs;
      return new Map([...(await stored.all(workspace))].filter(([, pause]) => isPaused(pause)));
    },
  };
}

/** The name of the pause of Slack's Web API in a workspace. */
export const slackPause = 'slack';
export const channelPause = (channel: string) => `channel ${channel}`;
export const accountPause = (account: string) => `account ${account}`;

/** A recurring failure, such as of posting to a channel. */
const Incident = z
  .object({
    code: z.string(),
    /** When it failed first and last (ms). */
    since: z.number(),
    at: z.number(),
  })
  .readonly();
export type Incident = z.infer<typeof Incident>;

/** The name of the incident in which Redis is nearly full. */
export const memoryIncident = 'memory redis';

export const incidentCodec = createCodec('incident', Incident);

/** Longest time that a call in progress may take after an incident was cleared (ms). */
const clearedMs = 60_000;

export type Incidents = ReturnType<typeof createIncidents>;

/**
 * Creates the store of a workspace's incidents, by name, so that people are notified once and retries are paced.
 * @param onChange runs when an incident has begun or ended
 */
export function createIncidents(
  redis: Redis,
  logger?: ErrorLogger,
  onChange: (workspace: WorkspaceId, name: string) => Promise<void> = async () => undefined,
  now: () => number = Date.now,
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'incidents');
  const stored = createStoredHash(redis, { codec: incidentCodec, field: z.string(), key }, logger);
  const clearedKey = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'cleared', name);

  return {
    /**
     * Records a failure. Resolves to true once per code, when people must be notified.
     * @param began when the failed attempt began (ms): failures from before the incident was last cleared are ignored
     */
    async record(workspace: WorkspaceId, name: string, code: string, began = now()): Promise<boolean> {
      if (began < Number(await redis.get(clearedKey(workspace, name)))) return false;
      const at = now();
      const before = await stored.update(workspace, name, (known) =>
        known?.code === code ? { ...known, at } : { code, since: at, at },
      );
      const isNew = before?.code !== code;
      if (isNew) await onChange(workspace, name);
      return isNew;
    },

    get: stored.get,

    /**
     * Records a success. Returns the incident that this ends, if any.
     * @param since when the successful attempt began (ms): an incident that failed after that stays
     */
    async clear(workspace: WorkspaceId, name: string, since = now()): Promise<Incident | undefined> {
      const isOver = (incident: Incident | undefined) => incident !== undefined && incident.at <= since;
      const before = await stored.update(workspace, name, (found) => (isOver(found) ? undefined : found));
      if (!isOver(before)) return undefined;
      await redis.set(clearedKey(workspace, name), since, 'PX', clearedMs);
      await onChange(workspace, name);
      return before;
    },

    /** Returns every incident of a workspace by its name. */
    all: stored.all,
  };
}

/** A time in which an account's marketplace, or Slack for it, does not work; stored until its end is told. */
const Outage = z
  .object({ since: z.number(), until: z.number().exactOptional(), notified: z.boolean() })
  .readonly();
type Outage = z.infer<typeof Outage>;

export const outageCodec = createCodec('outage', Outage);

export type Outages = ReturnType<typeof createOutages>;

/** Creates the store of outages by account, so that people are told once of each, and once of its end. */
export function createOutages(redis: Redis, of: 'marketplace' | 'slack', logger?: ErrorLogger) {
  const key = ({ workspace }: AccountRef) => workspaceKey(workspace, 'outages', of);
  const stored = createStoredHash(redis, { codec: outageCodec, field: z.string(), key }, logger);

  return {
    /** Returns when an outage began that goes on (ms). */
    async since(ref: AccountRef): Promise<number | undefined> {
      const outage = await stored.get(ref, ref.account);
      return outage?.until === undefined ? outage?.since : undefined;
    },

    /**
     * Records that calls fail. Resolves to when that began, for the one caller that must tell people of it.
     * @param since when they began to fail (ms), if this begins an outage
     * @param tells returns whether people are to be told of an outage that began then (ms)
     */
    async begin(
      ref: AccountRef,
      since: number,
      tells: (since: number) => boolean,
    ): Promise<number | undefined> {
      let told: number | undefined;
      await stored.update(ref, ref.account, (known) => {
        const { until: _, ...outage } = known ?? { since, notified: false };
        const notified = outage.notified || tells(outage.since);
        told = notified && !outage.notified ? outage.since : undefined;
        return { ...outage, notified };
      });
      return told;
    },

    /** Records that calls work. Returns the outage that this ends, or whose end is not told yet. */
    async over(ref: AccountRef, at: number): Promise<(Outage & { readonly until: number }) | undefined> {
      let over: (Outage & { readonly until: number }) | undefined;
      await stored.update(ref, ref.account, (known) => {
        over = known && { ...known, until: known.until ?? at };
        return over;
      });
      return over;
    },

    end: (ref: AccountRef): Promise<void> => stored.remove(ref, ref.account),
  };
}

/** Consecutive incomplete reads of the same thing. Times are milliseconds since 1970. */
const IncompleteRead = z
  .object({
    since: z.number(),
    times: z.number(),
    /** How many of them, up to the latest, contained an error; the others only lagged behind another source. */
    wrong: z.number(),
    /** The latest time of the next read. */
    nextAt: z.number(),
    /** The counts in the list of campaigns at the latest read. */
    listed: z.string(),
    /** The counts of the latest read instead, and since when these and `listed` are unchanged. */
    read: z.string(),
    sameSince: z.number(),
    /** Whether people were told. */
    notified: z.boolean(),
  })
  .readonly();
export type IncompleteRead = z.infer<typeof IncompleteRead>;

export const incompleteReadCodec = createCodec('incomplete-read', IncompleteRead);

/** Creates the store of incomplete reads: of the results of a campaign, by its id, and of lists, by name. */
export function createIncompleteReads(redis: Redis, logger?: ErrorLogger) {
  const key = (ref: AccountRef) => accountKey(ref, 'incomplete-reads');
  const stored = createStoredHash(redis, { codec: incompleteReadCodec, field: z.string(), key }, logger);
  return {
    all: stored.all,
    get: stored.get,

    /** Returns whether the last read of every list and of all results was complete. */
    isEmpty: async (ref: AccountRef): Promise<boolean> => (await redis.hlen(key(ref))) === 0,

    /** Changes the state of the reads of one thing; undefined ends it. Resolves to the previous state. */
    update: (
      ref: AccountRef,
      what: string,
      change: (before: IncompleteRead | undefined) => IncompleteRead | undefined,
    ) => stored.update(ref, what, change),
  };
}
