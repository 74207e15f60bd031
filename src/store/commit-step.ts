/**
 * Writes made together with a record: the statements of a script, with their own keys and arguments. ARGV[2] is the record's
 * id.
 */
export interface CommitStep {
  readonly keys: readonly string[];
  readonly args: readonly (string | number)[];
  /** Returns the statements. @param key the number of the first of `keys` in KEYS @param arg that of `args` in ARGV */
  readonly lua: (key: number, arg: number) => string;
  /** Returns an expression; while it is false, nothing at all is written. */
  readonly guard?: (key: number, arg: number) => string;
}

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
    lua: (at, arg) => `redis.call('HINCRBY', KEYS[${at}], ARGV[${arg}], 1)`,
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
        ? `redis.call('HDEL', KEYS[${at}], ARGV[${arg}])`
        : `redis.call('HSET', KEYS[${at}], ARGV[${arg}], ARGV[${arg + 1}])`,
  };
}
