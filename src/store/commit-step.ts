/**
 * Writes made together with a record: the statements of a script, with their own keys and arguments. One run of the script
 * may make several commits of one kind. Writes that none of them reads again in that run go through these functions, which
 * merge them into one command:
 *
 * - `later(command, key, …)`: runs the command at the end; calls with the same command and key are merged, with all their
 *   arguments, unless another command on the key comes between them
 * - `count(key, field, by, after)`: adds to a counter in a hash; then runs `after(count, by)`, if given, once for each
 *   counter
 * - `afterwards(f, name)`: runs a function at the end, once per name, if there is one
 */
export interface CommitStep {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** Returns the statements. @param key the number of the first of `keys` in KEYS @param arg that of `args` in ARGV */
  readonly lua: (key: number, arg: number) => string;
  /** Returns an expression; while it is false, nothing at all is written. */
  readonly guard?: (key: number, arg: number) => string;
}

/**
 * Defines the functions that steps write with, see {@link CommitStep}, and `flush(failed)`, which ends a script that uses
 * them. A write that Redis refuses does not prevent the others: `failed(of, problem)` is called, `of` being the value of
 * `current` at the step.
 */
export const stepFunctions = `
local writes, merged, counters, latest, current = {}, {}, {}, {}, 0
local function afterwards(write, name)
  if name and merged[name] then return end
  if name then merged[name] = write end
  writes[#writes + 1] = { run = write, of = current }
end
local function later(command, key, ...)
  local write = latest[key]
  if not write or write[1] ~= command then
    write = { command, key }
    latest[key] = write
    afterwards(function() redis.call(unpack(write)) end)
  end
  for _, arg in ipairs({ ... }) do write[#write + 1] = arg end
end
local function count(key, field, by, after)
  local name = key .. ' ' .. field
  local counter = counters[name]
  if not counter then
    counter = { by = 0 }
    counters[name] = counter
    afterwards(function()
      local total = redis.call('HINCRBY', key, field, counter.by)
      if after then after(total, counter.by) end
    end)
  end
  counter.by = counter.by + by
end
local function flush(failed)
  for _, write in ipairs(writes) do
    local isDone, problem = pcall(write.run)
    if not isDone then failed(write.of, type(problem) == 'table' and problem.err or tostring(problem)) end
  end
end`;

/** Returns one step that makes all of these. */
export function joinSteps(...steps: readonly (CommitStep | undefined)[]): CommitStep {
  const none: CommitStep = { keys: [], args: [], lua: () => '' };
  return steps.reduce<CommitStep>(
    (one, other) =>
      other === undefined
        ? one
        : {
            keys: [...one.keys, ...other.keys],
            args: [...one.args, ...other.args],
            lua: (key, arg) =>
              `${one.lua(key, arg)}\n${other.lua(key + one.keys.length, arg + one.args.length)}`,
            ...joinGuards(one, other),
          },
    none,
  );
}

function joinGuards(one: CommitStep, other: CommitStep): Pick<CommitStep, 'guard'> {
  if (one.guard === undefined && other.guard === undefined) return {};
  return {
    guard: (key, arg) =>
      [one.guard?.(key, arg), other.guard?.(key + one.keys.length, arg + one.args.length)]
        .filter((expression) => expression !== undefined)
        .join(' and '),
  };
}

/** Returns the step that adds one to a field of a hash. */
export function countStep(key: string, field: string): CommitStep {
  return {
    keys: [key],
    args: [field],
    lua: (at, arg) => `count(KEYS[${at}], ARGV[${arg}], 1)`,
  };
}

/** A field of another hash of the same account, which changes in the same step. */
export interface FieldChange {
  readonly key: string;
  readonly field: string;
  /** '' removes it. */
  readonly text: string;
}

/** Returns the step that writes a field of a hash, or removes it. */
export function fieldStep({ key, field, text }: FieldChange): CommitStep {
  return {
    keys: [key],
    args: [field, text],
    lua: (at, arg) =>
      text === ''
        ? `later('HDEL', KEYS[${at}], ARGV[${arg}])`
        : `later('HSET', KEYS[${at}], ARGV[${arg}], ARGV[${arg + 1}])`,
  };
}
