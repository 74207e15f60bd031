import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash } from './stored-hash.ts';
import type { ErrorLogger } from './unreadable.ts';

/** A recurring failure, such as of posting to a channel. */
const Incident = z
  .object({
    code: z.string(),
    /** When it failed first and last (ms). */
    since: z.number(),
    at: z.number(),
  })
  .readonly();
export type Incident = z.infer<typeof Incident>;

export const incidentCodec = createCodec('incident', Incident);

/** Longest time that a call in progress may take after an incident was cleared (ms). */
const clearedMs = 60_000;

export type Incidents = ReturnType<typeof createIncidents>;

/**
 * Creates the store of a workspace's incidents, by name, so that people are notified once and retries are paced.
 * @param onChange runs when an incident has begun or ended
 */
export function createIncidents(
  redis: Redis,
  logger?: ErrorLogger,
  onChange: (workspace: WorkspaceId, name: string) => Promise<void> = async () => undefined,
  now: () => number = Date.now,
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'incidents');
  const stored = createStoredHash(redis, { codec: incidentCodec, field: z.string() }, logger);
  const clearedKey = (workspace: WorkspaceId, name: string) => workspaceKey(workspace, 'cleared', name);

  return {
    /**
     * Records a failure. Resolves to true once per code, when people must be notified.
     * @param began when the failed attempt began (ms): failures from before the incident was last cleared are ignored
     */
    async record(workspace: WorkspaceId, name: string, code: string, began = now()): Promise<boolean> {
      if (began < Number(await redis.get(clearedKey(workspace, name)))) return false;
      const at = now();
      const before = await stored.update(key(workspace), name, (known) =>
        known?.code === code ? { ...known, at } : { code, since: at, at },
      );
      const isNew = before?.code !== code;
      if (isNew) await onChange(workspace, name);
      return isNew;
    },

    async get(workspace: WorkspaceId, name: string): Promise<Incident | undefined> {
      return stored.get(key(workspace), name);
    },

    /**
     * Records a success. Returns the incident that this ends, if any.
     * @param since when the successful attempt began (ms): an incident that failed after that stays
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
