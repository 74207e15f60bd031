import type { TaskEvent } from '../domain/events.ts';
import { money } from '../domain/money.ts';
import { type Decision, isPending, type Task } from '../domain/task.ts';
import type { AccountRef } from '../domain/terms.ts';
import { type CommitStep, joinSteps } from './commit-step.ts';
import {
  keptSeconds,
  maxUnits,
  type Reservation,
  reservationFields,
  spentKeys,
  unitsOf,
} from './spending.ts';

/**
 * KEYS: the day's hash, what is reserved. Makes the reservation of a bonus good; one that has ended meanwhile is counted
 * again, whatever the limit: the decision is made. ARGV: the fields of the member, the reservation and both, amount, time to
 * live (s), largest amount.
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

/** Counts again what was given back: one that was never counted, since a manager has approved it, has nothing to count. */
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
 * Returns the step that counts the bonus of a decision towards its author's day, or takes it off when the decision was undone,
 * refused or overtaken; one that was refused, and of which a late answer says that it was applied, counts again. Made together
 * with the change of the task's record, so that no process can die in between. A bonus that a manager has approved counts for
 * nobody's day. Undefined for changes that do none of it.
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
  const was = before && (before.look?.first ?? (isPending(before) ? before.decision : undefined));
  const is = after.look?.first ?? (isCounted(after) ? after.decision : undefined);
  if (was?.id === is?.id) return undefined;
  const isMade = event.type === 'decided' && event.approvedBy === undefined && is?.id === event.decision.id;
  const kept = isMade ? stepOf(ref, zone, is, keepLua) : undefined;
  // Whoever decided between two takes that back: the first decision waits again.
  const again = event.type === 'undone' ? stepOf(ref, zone, is, countAgainLua) : undefined;
  return joinSteps(stepOf(ref, zone, was, giveBackLua), kept, again);
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
