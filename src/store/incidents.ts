import type { Redis } from 'ioredis';
import type { WorkspaceId } from '../domain/terms.ts';
import { workspaceKey } from './keys.ts';

/** Something that does not work for now, such as a channel that cannot be posted to. */
export interface Incident {
  readonly code: string;
  /** First and last time it was met (ms), and how often. */
  readonly since: number;
  readonly at: number;
  readonly times: number;
  /** Whether people were told. */
  readonly notified: boolean;
}

export type Incidents = ReturnType<typeof createIncidents>;

/** KEYS: troubles. ARGV: name, code, now, told after so many times. Gives 1 when people are to be told now. */
const noteScript = `
local had = redis.call('HGET', KEYS[1], ARGV[1])
local trouble = had and cjson.decode(had) or nil
if not trouble or trouble.code ~= ARGV[2] then
  trouble = { code = ARGV[2], since = tonumber(ARGV[3]), times = 0, told = false }
end
trouble.at = tonumber(ARGV[3])
trouble.times = trouble.times + 1
local tell = not trouble.told and trouble.times >= tonumber(ARGV[4])
trouble.told = trouble.told or tell
redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(trouble))
return tell and 1 or 0`;

/** KEYS: troubles. ARGV: name, until when it was met last (ms). Gives the trouble that is cleared. */
const clearScript = `
local had = redis.call('HGET', KEYS[1], ARGV[1])
if not had or cjson.decode(had).at > tonumber(ARGV[2]) then return false end
redis.call('HDEL', KEYS[1], ARGV[1])
return had`;

/** What does not work in a workspace at present, by name, so that it is said once and not tried all the time. */
export function createIncidents(redis: Redis) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'troubles');

  return {
    /**
     * Something went wrong (again). Gives true once: when people are to be told, after it was met `tellAfter` times
     * with the same code.
     */
    async record(workspace: WorkspaceId, name: string, code: string, tellAfter = 1): Promise<boolean> {
      return (await redis.eval(noteScript, 1, key(workspace), name, code, Date.now(), tellAfter)) === 1;
    },

    async get(workspace: WorkspaceId, name: string): Promise<Incident | undefined> {
      const text = await redis.hget(key(workspace), name);
      return text === null ? undefined : (JSON.parse(text) as Incident);
    },

    /**
     * It works (again). Gives the trouble there was.
     * @param since when what worked was begun (ms): a trouble met later than that stays
     */
    async clear(workspace: WorkspaceId, name: string, since = Date.now()): Promise<Incident | undefined> {
      const text = await redis.eval(clearScript, 1, key(workspace), name, since);
      return typeof text === 'string' ? (JSON.parse(text) as Incident) : undefined;
    },
  };
}
