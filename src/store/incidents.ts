import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import { createCodec, renameFields } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** Something that keeps failing, such as posting to a channel. */
const Incident = z
  .object({
    code: z.string(),
    /** When it failed first and last (ms), and how often. */
    since: z.number(),
    at: z.number(),
    times: z.number(),
    /** Whether people were notified. */
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

/**
 * Creates the store of incidents of a workspace, by name, so that people are notified once and retries are paced.
 * @param onChange runs when an incident has begun or ended
 */
export function createIncidents(
  redis: Redis,
  logger?: ErrorLogger,
  onChange: (workspace: WorkspaceId, name: string) => Promise<void> = async () => undefined,
  now: () => number = Date.now,
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'troubles');
  const stored = createStoredHash(redis, { codec: incidentCodec, field: z.string() }, logger);
  const clearedKey = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'cleared', name);

  return {
    /**
     * Records a failure. Resolves true once: when people are to be notified, after `notifyAfter` failures with the same
     * code.
     * @param began when what failed began (ms): a failure from before the incident was last cleared is ignored
     */
    async record(
      workspace: WorkspaceId,
      name: string,
      code: string,
      notifyAfter = 1,
      began = now(),
    ): Promise<boolean> {
      if (began < Number(await redis.get(clearedKey(workspace, name)))) return false;
      let shouldNotify = false;
      let isNew = false;
      await stored.update(key(workspace), name, (before) => {
        const at = now();
        const known = before?.code === code ? before : { code, since: at, times: 0, notified: false };
        isNew = known !== before;
        const times = known.times + 1;
        shouldNotify = !known.notified && times >= notifyAfter;
        return { ...known, at, times, notified: known.notified || shouldNotify };
      });
      if (isNew) await onChange(workspace, name);
      return shouldNotify;
    },

    async get(workspace: WorkspaceId, name: string): Promise<Incident | undefined> {
      return stored.get(key(workspace), name);
    },

    /**
     * Records a success. Returns the incident that this ends, if any.
     * @param since when the attempt that succeeded began (ms): an incident that failed after that stays
     */
    async clear(workspace: WorkspaceId, name: string, since = now()): Promise<Incident | undefined> {
      const isOver = (incident: Incident | undefined) => incident !== undefined && incident.at <= since;
      const before = await stored.update(key(workspace), name, (found) =>
        isOver(found) ? undefined : found,
      );
      if (!isOver(before)) return undefined;
      await redis.set(clearedKey(workspace, name), since, 'PX', clearedMs);
      await onChange(workspace, name);
      return before;
    },

    /** Returns every incident of a workspace by its name. */
    async all(workspace: WorkspaceId): Promise<Map<string, Incident>> {
      return stored.all(key(workspace));
    },
  };
}
