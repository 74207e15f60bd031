/**
 * An operation on one of an account's keys, made in the same step as the write of a record: a command of Redis, or one of
 * those defined in commit.lua.
 */
export interface Op {
  readonly run:
    | 'EXPIRE'
    | 'HDEL'
    | 'HINCRBY'
    | 'HSET'
    | 'LPUSH'
    | 'LTRIM'
    | 'SADD'
    | 'SREM'
    | 'XADD'
    | 'ZADD'
    | 'ZREM'
    | 'ZREMRANGEBYRANK'
    | 'add last'
    | 'give back'
    | 'leave window'
    | 'remove if gone'
    | 'spend again'
    | 'spend';
  readonly key: string;
  /** The second key of those defined in commit.lua. */
  readonly other?: string;
  readonly args: readonly (string | number)[];
}
