import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import { createCodec, renameFields } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Something that does not work for now, such as a channel that cannot be posted to. */
const Incident = z
  .object({
    code: z.string(),
    /** First and last time it was met (ms), and how often. */
    since: z.number(),
    at: z.number(),
    times: z.number(),
    /** Whether people were told. */
    notified: z.boolean(),
  })
  .readonly();
export type Incident = z.infer<typeof Incident>;

export const incidentCodec = createCodec('incident', Incident, [
  renameFields('told becomes notified', { told: 'notified' }),
]);

/** A call that was under way when an incident was cleared ends within this time (ms). */
const clearedMs = 60_000;

export type Incidents = ReturnType<typeof createIncidents>;

/** What does not work in a workspace at present, by name, so that it is said once and not tried all the time. */
export function createIncidents(redis: Redis, logger?: ErrorLogger) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'troubles');
  const stored = createStoredHash(redis, { codec: incidentCodec, field: z.string() }, logger);
  const clearedKey = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'cleared', name);

  return {
    /**
     * Something went wrong (again). Gives true once: when people are to be told, after it was met `tellAfter` times
     * with the same code.
     * @param began when what failed was begun (ms): a failure from before the incident was last cleared is ignored
     */
    async record(
      workspace: WorkspaceId,
      name: string,
      code: string,
      tellAfter = 1,
      began = Date.now(),
    ): Promise<boolean> {
      if (began < Number(await redis.get(clearedKey(workspace, name)))) return false;
      let isToBeTold = false;
      await stored.update(key(workspace), name, (before) => {
        const at = Date.now();
        const known = before?.code === code ? before : { code, since: at, times: 0, notified: false };
        const times = known.times + 1;
        isToBeTold = !known.notified && times >= tellAfter;
        return { ...known, at, times, notified: known.notified || isToBeTold };
      });
      return isToBeTold;
    },

    async get(workspace: WorkspaceId, name: string): Promise<Incident | undefined> {
      return stored.get(key(workspace), name);
    },

    /**
     * It works (again). Gives the trouble there was.
     * @param since when what worked was begun (ms): a trouble met later than that stays
     */
    async clear(workspace: WorkspaceId, name: string, since = Date.now()): Promise<Incident | undefined> {
      const isOver = (incident: Incident | undefined) => incident !== undefined && incident.at <= since;
      const before = await stored.update(key(workspace), name, (found) =>
        isOver(found) ? undefined : found,
      );
      if (!isOver(before)) return undefined;
      await redis.set(clearedKey(workspace, name), since, 'PX', clearedMs);
      return before;
    },
  };
}
