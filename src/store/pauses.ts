import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { WorkspaceId } from '../domain/terms.ts';
import { createCodec } from './codec.ts';
import { workspaceKey } from './keys.ts';
import { createStoredHash, type ErrorLogger } from './stored-hash.ts';

/** Failures in a row of Slack, a channel or an account, and the pause in which jobs do not call it. */
const Pause = z
  .object({
    /** Why the last call failed. */
    code: z.string(),
    /** When the first and the last of the calls in a row failed (ms), and how many did. */
    since: z.number(),
    failedAt: z.number(),
    failures: z.number(),
    /** When the pause ends (ms); absent while there are too few failures for one. */
    until: z.number().exactOptional(),
    /** Until when the job that probes after the pause may take (ms). */
    probeUntil: z.number().exactOptional(),
  })
  .readonly();
export type Pause = z.infer<typeof Pause>;

export const pauseCodec = createCodec('pause', Pause);

/** The longest pause as a multiple of the first one. */
const longestFactor = 60;
/** A pause is over if nobody has probed for this multiple of the first one: nobody needs what failed any more. */
const abandonedFactor = 600;

/** Permission of a job to call: at once, unless `waitMs` says how long to wait, and `code` why. */
export interface Entry {
  readonly waitMs: number;
  readonly code: string;
  readonly isProbe: boolean;
  /** Ends a probe whose call was not made or says nothing: another job may probe at once. */
  readonly release: () => Promise<void>;
}

export type Pauses = ReturnType<typeof createPauses>;

/**
 * Creates the pauses of a workspace, shared by all processes: `slack`, `channel C1`, `account a1`. Failures in a row begin
 * one, in which jobs do not call. When it ends, one job calls: a success ends the failures, a failure doubles the pause.
 * @param firstMs length of the first pause (ms)
 * @param probeMs how long a probe may take (ms): longer than any one call
 */
export function createPauses(
  redis: Redis,
  {
    now,
    firstMs,
    probeMs,
  }: { readonly now: () => number; readonly firstMs: number; readonly probeMs: number },
  logger?: ErrorLogger,
) {
  const key = (workspace: WorkspaceId) => workspaceKey(workspace, 'pauses');
  const stored = createStoredHash(redis, { codec: pauseCodec, field: z.string(), key }, logger);

  return {
    /** Asks whether a job may make a call that needs all of these. */
    async enter(workspace: WorkspaceId, names: readonly string[]): Promise<Entry> {
      const probes: { readonly name: string; readonly before: Pause; readonly probing: Pause }[] = [];
      const release = async () => {
        for (const { name, before, probing } of probes)
          await stored.replace(workspace, name, probing, before);
      };
      for (const [name, pause] of await stored.getMany(workspace, names)) {
        if (pause.until === undefined) continue;
        const at = now();
        let waitMs = pause.until - at;
        if (waitMs <= 0) {
          const probing = { ...pause, probeUntil: at + probeMs };
          const isProbe =
            at >= (pause.probeUntil ?? 0) && (await stored.replace(workspace, name, pause, probing));
          if (isProbe) probes.push({ name, before: pause, probing });
          // While somebody else probes, the others do not ask every moment.
          else waitMs = Math.max(firstMs, (pause.until - pause.failedAt) / 4);
        }
        if (waitMs <= 0) continue;
        await release();
        return { waitMs, code: pause.code, isProbe: false, release };
      }
      return { waitMs: 0, code: '', isProbe: probes.length > 0, release };
    },

    /**
     * Records a failed call. Resolves to true when a pause begins with it.
     * @param began when the call began (ms): one from before the last failure proves nothing new
     * @param pausesAfter number of failures in a row that begin a pause
     */
    async fail(
      workspace: WorkspaceId,
      name: string,
      {
        code,
        began,
        pausesAfter,
      }: { readonly code: string; readonly began: number; readonly pausesAfter: number },
    ): Promise<boolean> {
      let begins = false;
      await stored.update(workspace, name, (before) => {
        begins = false;
        if (before?.until !== undefined && began < before.failedAt) return before;
        const at = now();
        const failures = (before?.failures ?? 0) + 1;
        const failed = { code, since: before?.since ?? at, failedAt: at, failures };
        if (failures < pausesAfter) return failed;
        begins = before?.until === undefined;
        const ms = firstMs * Math.min(2 ** (failures - pausesAfter), longestFactor);
        return { ...failed, until: at + ms };
      });
      return begins;
    },

    /** Records a call that succeeded. Resolves to the pause that it ends, if any. @param began when it began (ms) */
    async succeed(workspace: WorkspaceId, name: string, began: number): Promise<Pause | undefined> {
      const isOver = (pause: Pause | undefined) => pause !== undefined && pause.failedAt <= began;
      const before = await stored.update(workspace, name, (pause) => (isOver(pause) ? undefined : pause));
      return isOver(before) && before?.until !== undefined ? before : undefined;
    },

    /** Returns what is paused in a workspace, by name. */
    async all(workspace: WorkspaceId): Promise<Map<string, Pause>> {
      const isPaused = ({ until, failedAt }: Pause) =>
        until !== undefined && failedAt > now() - abandonedFactor * firstMs;
      return new Map([...(await stored.all(workspace))].filter(([, pause]) => isPaused(pause)));
    },
  };
}

/** The name of the pause of Slack's Web API in a workspace. */
export const slackPause = 'slack';
export const channelPause = (channel: string) => `channel ${channel}`;
export const accountPause = (account: string) => `account ${account}`;
