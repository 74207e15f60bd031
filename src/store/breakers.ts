import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

/**
 * Prelude of every script. KEYS: the workspace's breakers. A breaker is a JSON text: `counting` failures that do not open it
 * yet, `open`, or `recovering`, in which parked work returns at a limited pace. Times are Redis's (ms).
 */
const prelude = `
local now
local function readTime()
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
end
local function parse(text)
  -- As a rule nothing fails, and nothing is stored.
  if not text then return nil end
  if not now then readTime() end
  local ok, found = pcall(cjson.decode, text)
  if not ok or type(found) ~= 'table' or not found.state then return nil end
  return found
end
local function load(name) return parse(redis.call('HGET', KEYS[1], name)) end
local function store(name, breaker) redis.call('HSET', KEYS[1], name, cjson.encode(breaker)) end`;

/**
 * Requests a call that depends on several breakers. ARGV: token, timeout of a probe (ms), first and longest wait (ms), time
 * between two calls while recovering (ms, 0: no pace), a random number below 1, names.
 * Returns the wait (ms), whether the result matters to a breaker, whether the call is a breaker's probe, and the code of the
 * open breaker that it waits for.
 */
const enterScript = `${prelude}
local first, longest, pace, random = tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local wait, matters, code, found = 0, 0, '', {}
local texts = redis.call('HMGET', KEYS[1], unpack(ARGV, 7))
for i = 7, #ARGV do
  local b = parse(texts[i - 6])
  if b and b.state == 'recovering' and now >= b['until'] then
    redis.call('HDEL', KEYS[1], ARGV[i])
    b = nil
  end
  if b then
    matters = 1
    found[ARGV[i]] = b
    local target = 0
    if b.state == 'open' and now < b.probeAt then target = b.probeAt
    elseif b.state == 'open' and now < b.probeUntil then target = now + first
    elseif b.state == 'recovering' and pace > 0 and now < b.free then target = b.free end
    if target > 0 then
      local spread = b.state == 'open' and first / 4 + b.parked * pace or b.parked * pace
      wait = math.max(wait, math.min(target - now + random * spread, math.max(longest, target - now)))
      if b.state == 'open' then
        code = b.code
        b.parked = b.parked + 1
        store(ARGV[i], b)
      end
    end
  end
end
if wait > 0 then return { math.ceil(wait), matters, 0, code } end
local probe = 0
for name, b in pairs(found) do
  if b.state == 'open' then
    probe = 1
    b.probe, b.probeUntil = ARGV[1], now + tonumber(ARGV[2])
    store(name, b)
  elseif b.state == 'recovering' and pace > 0 then
    b.free, b.parked = now + pace, b.parked - 1
    if b.parked <= 0 then redis.call('HDEL', KEYS[1], name) else store(name, b) end
  end
end
return { 0, matters, probe, '' }`;

/**
 * Records a failure. ARGV: name, code, how long ago the call began (ms), number of consecutive failures that opens the
 * breaker, first and longest wait (ms). A call that began before the last failure proves nothing new. Returns 1 when this
 * opened it.
 */
const failScript = `${prelude}
readTime()
local name, began = ARGV[1], now - tonumber(ARGV[3])
local first, longest = tonumber(ARGV[5]), tonumber(ARGV[6])
local b = load(name)
if b and b.state == 'open' then
  if began < b.failedAt then return 0 end
  b.probes, b.failures = b.probes + 1, b.failures + 1
  if b.parked > 0 then b.parkedBefore = b.parked end
  b.code, b.failedAt, b.parked, b.probeUntil = ARGV[2], now, 0, 0
  b.probeAt = now + math.min(longest, first * 2 ^ math.min(b.probes, 20))
  store(name, b)
  return 0
end
if b and b.state == 'counting' and b.failedAt < now - 2 * longest then b = nil end
b = b or { since = now, probes = 0, failures = 0, inRow = 0, parked = 0, parkedBefore = 0, state = 'counting' }
b.failures, b.inRow, b.failedAt, b.code = b.failures + 1, b.inRow + 1, now, ARGV[2]
if b.inRow < tonumber(ARGV[4]) then
  store(name, b)
  return 0
end
b.parkedBefore = math.max(b.parked, b.parkedBefore)
b.state, b.parked, b.probeUntil = 'open', 0, 0
b.probeAt = now + math.min(longest, first * 2 ^ math.min(b.probes, 20))
store(name, b)
return 1`;

/**
 * Records a success. ARGV: name, how long ago the call began (ms), time between two calls while recovering (ms).
 * Returns the breaker's previous state when this closed it; else ''.
 */
const succeedScript = `${prelude}
local name, b = ARGV[1], load(ARGV[1])
if not b then return '' end
if b.state == 'counting' then
  redis.call('HDEL', KEYS[1], name)
  return ''
end
if b.state == 'recovering' then
  b.inRow = 0
  store(name, b)
  return ''
end
if now - tonumber(ARGV[2]) < b.failedAt then return '' end
local before = cjson.encode(b)
b.parked = math.max(b.parked, b.parkedBefore)
local back = b.parked * tonumber(ARGV[3])
if back > 0 then
  b.state, b.inRow, b.free, b['until'] = 'recovering', 0, now, now + 3 * back
  store(name, b)
else redis.call('HDEL', KEYS[1], name) end
return before`;

/** Ends probes without a result. ARGV: token, names. */
const releaseScript = `${prelude}
for i = 2, #ARGV do
  local b = load(ARGV[i])
  if b and b.state == 'open' and b.probe == ARGV[1] then
    b.probeUntil = 0
    store(ARGV[i], b)
  end
end`;

const times = {
  /** When the first of the consecutive failures happened (ms). */
  since: z.number(),
  code: z.string(),
  failures: z.number(),
};
const Stored = z.discriminatedUnion('state', [
  z.object({ state: z.literal('counting'), ...times }),
  z.object({ state: z.literal('open'), ...times, failedAt: z.number(), probeAt: z.number() }),
  z.object({ state: z.literal('recovering'), ...times }),
]);

/** A breaker that blocks all calls except one probe at a time. */
export interface OpenBreaker {
  readonly name: string;
  readonly since: number;
  /** Why the last call failed. */
  readonly code: string;
  readonly failures: number;
  readonly failedAt: number;
  /** When the next probe may be made (ms). */
  readonly probeAt: number;
}

/** An outage that is over. */
export type Outage = Pick<OpenBreaker, 'since' | 'code' | 'failures'>;

/** Permission to call: at once, unless `waitMs` says how long to wait. */
export interface Entry {
  readonly waitMs: number;
  /** Why it has to wait; '' when nothing fails (any more). */
  readonly code: string;
  /** Whether a breaker counts failures or is open, so that a success must be reported. */
  readonly matters: boolean;
  /** Gives up the call's role as the probe, when its result says nothing about the dependency. */
  readonly release: () => Promise<void>;
}

export interface BreakerTimings {
  readonly now: () => number;
  /** The wait before the first probe (ms); doubles with each failed probe, up to 20 times this. */
  readonly firstProbeMs: number;
  /** Timeout of a probe (ms): longer than any one call takes. */
  readonly probeMs: number;
}

/** The longest wait as a multiple of the first one. With jitter, no wait exceeds 30 times the first one. */
const longestFactor = 20;

/** How long a breaker counts as open after its last failure (ms): many times the longest wait. */
const abandonedMs = 600_000;

export type Breakers = ReturnType<typeof createBreakers>;

/**
 * Creates the circuit breakers of a workspace's dependencies, shared by all processes. Each has a name, such as `slack`,
 * `channel C1` or `account a1`. An open breaker allows one probe at a time; all other callers are told how long to wait.
 */
export function createBreakers(redis: Redis, { now, firstProbeMs, probeMs }: BreakerTimings) {
  const keyOf = (workspace: WorkspaceId) => workspaceKey(workspace, 'breakers');
  const longestMs = longestFactor * firstProbeMs;

  /** Returns whether anything is stored for these breakers. Usually nothing fails, and nothing is. */
  async function isAnyStored(workspace: WorkspaceId, names: readonly string[]): Promise<boolean> {
    return (await redis.hmget(keyOf(workspace), ...names)).some((text) => text !== null);
  }

  return {
    /**
     * Requests a call that needs all the named dependencies.
     * @param paceMs the time between two calls when work returns after an outage; 0 where something else paces it
     */
    async enter(workspace: WorkspaceId, names: readonly string[], paceMs = 0): Promise<Entry> {
      if (!(await isAnyStored(workspace, names)))
        return { waitMs: 0, code: '', matters: false, release: async () => undefined };
      const token = crypto.randomUUID();
      const args = [
        token,
        probeMs,
        firstProbeMs,
        1.5 * longestMs,
        Math.ceil(paceMs),
        Math.random(),
        ...names,
      ];
      const answer = await redis.eval(enterScript, 1, keyOf(workspace), ...args);
      const [waitMs, matters, isProbe, code] = answer as [number, number, number, string];
      return {
        waitMs,
        code,
        matters: matters === 1,
        async release() {
          if (isProbe === 1) await redis.eval(releaseScript, 1, keyOf(workspace), token, ...names);
        },
      };
    },

    /**
     * Records a failed call. Resolves to true when this opened the breaker.
     * @param ageMs how long ago the call began
     * @param opensAfter the number of consecutive failures that opens the breaker
     */
    async recordFailure(
      workspace: WorkspaceId,
      name: string,
      { code, ageMs = 0, opensAfter }: { code: string; ageMs?: number; opensAfter: number },
    ): Promise<boolean> {
      const args = [name, code, Math.max(0, Math.ceil(ageMs)), opensAfter, firstProbeMs, longestMs];
      return (await redis.eval(failScript, 1, keyOf(workspace), ...args)) === 1;
    },

    /** Records a call that succeeded. Resolves to the outage that this ended, if any. */
    async recordSuccess(
      workspace: WorkspaceId,
      name: string,
      { ageMs = 0, paceMs = 0 }: { ageMs?: number; paceMs?: number } = {},
    ): Promise<Outage | undefined> {
      if (!(await isAnyStored(workspace, [name]))) return undefined;
      const args = [name, Math.max(0, Math.floor(ageMs)), Math.ceil(paceMs)];
      const before = await redis.eval(succeedScript, 1, keyOf(workspace), ...args);
      return before === '' ? undefined : parse(name, String(before));
    },

    /**
     * Returns the open breakers of a workspace, or those with these names. Omits breakers that were not probed for long:
     * nobody needs their dependency any more.
     */
    async open(workspace: WorkspaceId, names?: readonly string[]): Promise<OpenBreaker[]> {
      const all = await redis.hgetall(keyOf(workspace));
      return Object.entries(all).flatMap(([name, text]) => {
        const found = names === undefined || names.includes(name) ? parse(name, text) : undefined;
        return found === undefined || found.failedAt < now() - abandonedMs ? [] : [found];
      });
    },
  };
}

function parse(name: string, text: string): OpenBreaker | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  const stored = Stored.safeParse(json).data;
  if (stored?.state !== 'open') return undefined;
  const { state: _, ...open } = stored;
  return { name, ...open };
}

/** The name of the breaker of Slack's Web API in a workspace. */
export const slackBreaker = 'slack';
export const channelBreaker = (channel: string) => `channel ${channel}`;
export const accountBreaker = (account: string) => `account ${account}`;
