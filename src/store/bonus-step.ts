import type { TaskEvent } from '../domain/events.ts';
import { money } from '../domain/money.ts';
import { type Decision, isPending, type Task } from '../domain/task.ts';
import type { AccountRef } from '../domain/terms.ts';
import type { CommitStep } from './commit-step.ts';
import {
  keptSeconds,
  maxUnits,
  type Reservation,
  reservationFields,
  spentKeys,
  unitsOf,
} from './spending.ts';

/**
 * Confirms the reservation of a bonus; one that has expired meanwhile is counted again regardless of the limit, since the
 * decision is made. KEYS: the day's hash, the reservations. ARGV: the fields of the member, the reservation and both,
 * amount, time to live (s), largest amount.
 */
const keepLua = (key: number, arg: number) => `
redis.call('ZREM', KEYS[${key + 1}], ARGV[${arg + 2}])
if redis.call('HEXISTS', KEYS[${key}], ARGV[${arg + 1}]) == 0 then
  local spent = tonumber(redis.call('HGET', KEYS[${key}], ARGV[${arg}]) or '0')
  local counted = string.format('%.0f', math.min(tonumber(ARGV[${arg + 3}]), tonumber(ARGV[${arg + 5}]) - spent))
  redis.call('HINCRBY', KEYS[${key}], ARGV[${arg}], counted)
  redis.call('HSET', KEYS[${key}], ARGV[${arg + 1}], counted)
  redis.call('EXPIRE', KEYS[${key}], ARGV[${arg + 4}])
end`;

const giveBackLua = (key: number, arg: number) => `
redis.call('ZREM', KEYS[${key + 1}], ARGV[${arg + 2}])
do
  local counted = redis.call('HGET', KEYS[${key}], ARGV[${arg + 1}])
  if counted and counted ~= '0' then
    redis.call('HINCRBY', KEYS[${key}], ARGV[${arg}], '-' .. counted)
    redis.call('HSET', KEYS[${key}], ARGV[${arg + 1}] .. ' given back', counted)
  end
  redis.call('HDEL', KEYS[${key}], ARGV[${arg + 1}])
end`;

/** Counts a released bonus again. One that was never counted, because a manager had approved it, is skipped. */
const countAgainLua = (key: number, arg: number) => `
do
  local given = redis.call('HGET', KEYS[${key}], ARGV[${arg + 1}] .. ' given back')
  if given then
    redis.call('HINCRBY', KEYS[${key}], ARGV[${arg}], given)
    redis.call('HSET', KEYS[${key}], ARGV[${arg + 1}], given)
    redis.call('HDEL', KEYS[${key}], ARGV[${arg + 1}] .. ' given back')
  end
end`;

/**
 * Returns the step that counts a decision's bonus towards its author's day, or subtracts it when the decision was undone,
 * refused or overtaken; a refused one that a late answer shows to be applied counts again. Made together with the change of
 * the task's record, so that no process can die in between. A bonus that a manager has approved counts towards nobody's day.
 * Undefined for all other changes.
 */
export function bonusStep(
  ref: AccountRef,
  zone: string,
  event: TaskEvent,
  before: Task | undefined,
  after: Task,
): CommitStep | undefined {
  const isLate = before?.decision?.state === 'refused' && after.decision?.state === 'applied';
  if (isLate) return stepOf(ref, zone, after.decision, countAgainLua);
  if (event.type === 'decided' && event.approvedBy === undefined)
    return stepOf(ref, zone, after.decision, keepLua);
  const was = before && isPending(before) ? before.decision : undefined;
  const isKept = isCounted(after) && after.decision?.id === was?.id;
  return isKept ? undefined : stepOf(ref, zone, was, giveBackLua);
}

function isCounted(task: Task): boolean {
  return isPending(task) || task.decision?.state === 'applied';
}

type Paid = Pick<Decision, 'id' | 'by' | 'at' | 'bonus'>;

function stepOf(
  ref: AccountRef,
  zone: string,
  decision: Paid | undefined,
  lua: CommitStep['lua'],
): CommitStep | undefined {
  if (decision?.bonus === undefined) return undefined;
  const { id, by: member, at, bonus } = decision;
  const reservation: Reservation = { id, member, budget: 'bonus', at };
  const { memberField, idField, both } = reservationFields(reservation);
  return {
    keys: spentKeys(ref, zone, at),
    args: [memberField, idField, both, unitsOf(money(bonus)), keptSeconds, maxUnits],
    lua,
  };
}
