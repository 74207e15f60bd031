import { finishedAtOf } from '../domain/deadline.ts';
import { isOpen, type Task } from '../domain/task.ts';
import type { AccountRef, CampaignId } from '../domain/terms.ts';
import { appendEntry } from './audit/writer.ts';
import type { CommitStep } from './commit-step.ts';
import { accountKey } from './keys.ts';

/** Stands for an unknown finish time: such tasks come last. */
export const unknownTime = 3e15;
/** Lowest score of tasks without a known deadline: they come after all others, oldest first. */
export const unknownDeadline = 4e15;
export const dayMs = 86_400_000;

/** How many tasks a script takes from an index at once. */
const atOnce = 500;

const daysKey = (ref: AccountRef) => accountKey(ref, 'times-to-rate');
export const deadlinesKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'by-deadline');
export const ofCampaignKey = (ref: AccountRef, campaign: CampaignId) =>
  accountKey(ref, 'tasks', 'open-of', campaign);
export const firstKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'campaigns-by-deadline');
export const countKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'campaigns-by-count');
export const outdatedKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'deadline-changed');
/** Campaigns whose tasks have come or gone since they were counted: they are recounted before any count is read. */
export const changedCampaignsKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'campaigns-changed');
export const openKey = (ref: AccountRef) => accountKey(ref, 'tasks', 'open');

/** The keys that every script below begins with, or has from some index on. */
export const indexKeys = (ref: AccountRef, campaign: CampaignId) => [
  daysKey(ref),
  deadlinesKey(ref),
  ofCampaignKey(ref, campaign),
  firstKey(ref),
  countKey(ref),
];

/**
 * Defines functions that all scripts need. `at`: the number of the first of {@link indexKeys}.
 * - `scoreOf`: a task's score in the index by deadline, from when it was finished and its campaign's days
 * - `daysOf`: those days
 */
const scoring = (at: number) => `
local function scoreOf(days, finished)
  if days and finished < ${unknownTime} then return string.format('%.0f', finished + days * ${dayMs}) end
  return string.format('%.0f', ${unknownDeadline} + finished)
end
local function daysOf(campaign)
  return tonumber(redis.call('HGET', KEYS[${at}], campaign) or '')
end
`;

/** Defines `countCampaign`, which updates a campaign's own entries (number of waiting tasks, earliest deadline). */
const counting = `
local function countCampaign(campaign, waiting, byDeadline, byCount)
  local first = redis.call('ZRANGE', waiting, 0, 0, 'WITHSCORES')
  if not first[1] then
    redis.call('ZREM', byDeadline, campaign)
    redis.call('ZREM', byCount, campaign)
    return
  end
  redis.call('ZADD', byDeadline, scoreOf(daysOf(campaign), tonumber(first[2])), campaign)
  redis.call('ZADD', byCount, redis.call('ZCARD', waiting), campaign)
end
`;

/**
 * Recounts the campaigns whose tasks have come or gone since they were counted. KEYS: days, those campaigns, then the
 * campaigns' own entries. ARGV: key prefix of their tasks.
 */
export const countChangedScript = `${scoring(1)}${counting}
for _, campaign in ipairs(redis.call('SMEMBERS', KEYS[2])) do
  countCampaign(campaign, ARGV[1] .. campaign, KEYS[3], KEYS[4])
end
redis.call('DEL', KEYS[2])`;

export const countChangedKeys = (ref: AccountRef) => [
  daysKey(ref),
  changedCampaignsKey(ref),
  firstKey(ref),
  countKey(ref),
];

/**
 * Stores a campaign's days, and recomputes the scores of its open tasks, in one step however many there are. Those with a
 * new deadline are recorded, so that their cards soon show it. KEYS: the index, the changed ones, then an audit trail if an
 * entry is added. ARGV: campaign, the days as read ('' for none), the new days, entry. Returns 1, or 0 when the days have
 * changed since they were read.
 */
export const putDaysScript = `${scoring(1)}${counting}
if (redis.call('HGET', KEYS[1], ARGV[1]) or '') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
local days = daysOf(ARGV[1])
for from = 0, redis.call('ZCARD', KEYS[3]) - 1, ${atOnce} do
  local part = redis.call('ZRANGE', KEYS[3], from, from + ${atOnce - 1}, 'WITHSCORES')
  local ids, changed = {}, {}
  for i = 1, #part, 2 do ids[#ids + 1] = part[i] end
  for i, was in ipairs(redis.call('ZMSCORE', KEYS[2], unpack(ids))) do
    local score = scoreOf(days, tonumber(part[2 * i]))
    if tonumber(was or '0') ~= tonumber(score) then
      changed[#changed + 1] = score
      changed[#changed + 1] = ids[i]
    end
  end
  if #changed > 0 then
    redis.call('ZADD', KEYS[2], unpack(changed))
    redis.call('ZADD', KEYS[6], unpack(changed))
  end
end
countCampaign(ARGV[1], KEYS[3], KEYS[4], KEYS[5])
if KEYS[7] then ${appendEntry('KEYS[7]', 'ARGV[4]')} end
return 1`;

/** Removes handled entries, unless they have changed again. KEYS: set. ARGV: id, its score, … */
export const removeScript = `
for i = 1, #ARGV, 2 do
  if tonumber(redis.call('ZSCORE', KEYS[1], ARGV[i]) or '-1') == tonumber(ARGV[i + 1]) then
    redis.call('ZREM', KEYS[1], ARGV[i])
  end
end`;

/** Returns the waiting tasks by payment, as pairs of payment ('' when unknown) and count. KEYS: counts, payments. */
export const paymentsScript = `
local waiting = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
local counts, order = {}, {}
for from = 1, #waiting, 4000 do
  local ids = {}
  for i = from, math.min(from + 3999, #waiting), 2 do ids[#ids + 1] = waiting[i] end
  for i, payment in ipairs(redis.call('HMGET', KEYS[2], unpack(ids))) do
    payment = payment or ''
    if not counts[payment] then order[#order + 1] = payment end
    counts[payment] = (counts[payment] or 0) + tonumber(waiting[from + 2 * i - 1])
  end
end
local found = {}
for _, payment in ipairs(order) do
  found[#found + 1] = payment
  found[#found + 1] = string.format('%.0f', counts[payment])
end
return found`;

/**
 * Returns the step that updates the index, made together with a change of a task's record; undefined when the index is
 * unaffected.
 */
export function openTaskStep(ref: AccountRef, before: Task | undefined, task: Task): CommitStep | undefined {
  const [was, is] = [before, task].map((one) =>
    one !== undefined && isOpen(one) ? (finishedAtOf(one) ?? unknownTime) : '',
  );
  if (before !== undefined && was === is) return undefined;
  const { campaign } = task;
  return {
    keys: [daysKey(ref), deadlinesKey(ref), ofCampaignKey(ref, campaign), changedCampaignsKey(ref)],
    args: [campaign, is ?? ''],
    lua: (key, arg) => `
do
  ${scoring(key)}
  local id, campaign, finished = ARGV[2], ARGV[${arg}], ARGV[${arg + 1}]
  if finished == '' then
    redis.call('ZREM', KEYS[${key + 1}], id)
    redis.call('ZREM', KEYS[${key + 2}], id)
  else
    redis.call('ZADD', KEYS[${key + 1}], scoreOf(daysOf(campaign), tonumber(finished)), id)
    redis.call('ZADD', KEYS[${key + 2}], finished, id)
  end
  redis.call('SADD', KEYS[${key + 3}], campaign)
end`,
  };
}
