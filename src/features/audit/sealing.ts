import type { Trail } from '../../domain/audit.ts';
import type { AccountRef, WorkspaceId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import type { Sealer } from '../../store/audit/sealer.ts';
import { nameOfTrail } from '../../store/audit/signatures.ts';
import type { FeatureContext } from '../shared/context.ts';
import { createThrottle } from '../shared/throttle.ts';

const dayMs = 86_400_000;

/** Minimum interval of looking whether the trail of a workspace needs a seal (ms). */
const workspaceTrailMs = 1_000;

type Deps = Pick<FeatureContext, 'jobs' | 'logger' | 'now'> & {
  readonly sealer: Sealer;
  /** Returns every trail with stored data. */
  readonly trails: () => Promise<Trail[]>;
  /** Delay from an entry to the sealing of its trail (ms); later entries within it are sealed together. */
  readonly sealAfterMs: number;
  readonly auditDays: number;
};

/** Creates the sealing of audit trails a few seconds after an entry, and the removal of expired entries. */
export function createSealing({ jobs, logger, now, sealer, trails, sealAfterMs, auditDays }: Deps) {
  /** Until when (ms) a job queued by this process waits; entries before that need no other job. */
  const queuedUntil = new Map<string, number>();
  const isWorkspaceDue = createThrottle(workspaceTrailMs);

  async function queue(trail: Trail, delayMs: number): Promise<void> {
    const { workspace, account } = trail;
    const payload = { workspace, ...(account === undefined ? {} : { account }) };
    await jobs.add('seal', payload, { delayMs, uniqueKey: nameOfTrail(trail) });
  }

  return {
    /** Queues the sealing of a trail. Fire-and-forget: if queuing fails, the next poll repeats it. */
    queueSoon(trail: Trail): void {
      const name = nameOfTrail(trail);
      const at = now();
      const until = queuedUntil.get(name) ?? 0;
      if (at < until && until <= at + sealAfterMs) return;
      queuedUntil.set(name, at + sealAfterMs);
      queue(trail, sealAfterMs).catch((error: unknown) => {
        queuedUntil.delete(name);
        logger.warn({ reason: messageOf(error) }, 'sealing of the audit not queued');
      });
    },

    /** Seals trails left unsealed by a process that died, and detects older copies. */
    async afterPoll(ref: AccountRef): Promise<void> {
      try {
        const { workspace } = ref;
        for (const trail of isWorkspaceDue(workspace) ? [ref, { workspace }] : [ref])
          if (await sealer.needsSeal(trail)) await queue(trail, 0);
      } catch (error) {
        // The next poll retries.
        logger.warn({ reason: messageOf(error) }, 'audit not looked at');
      }
    },

    /** Removes expired entries now and daily, and seals unsealed trails. */
    async start(workspace: WorkspaceId): Promise<void> {
      await jobs.repeat('expire-audit', workspace, dayMs, { workspace });
    },

    jobs: {
      async seal(trail: Payload<'seal'>): Promise<void> {
        await sealer.seal(trail);
      },

      async 'expire-audit'({ workspace }: Payload<'expire-audit'>): Promise<void> {
        for (const trail of await trails()) {
          if (trail.workspace !== workspace) continue;
          await sealer.seal(trail);
          const expired = await sealer.expire(trail, now() - auditDays * dayMs);
          if (expired > 0)
            logger.info({ trail: nameOfTrail(trail), entries: expired }, 'audit entries expired');
        }
      },
    },
  };
}
