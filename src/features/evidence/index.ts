import type { AccountRef, TaskId } from '../../domain/terms.ts';
import { messageOf } from '../../errors.ts';
import type { Payload } from '../../jobs/catalogue.ts';
import { inBackground } from '../../kit/budgets.ts';
import type { Modules } from '../../kit/modules.ts';
import { onCard } from '../../kit/on.ts';
import type { Feature } from '../../slack/feature.ts';
import { withoutFiles, withoutRefusedPictures } from '../../slack/files.ts';
import type { AlikeTask } from '../../store/evidence.ts';
import { isRedisUnavailable } from '../../store/redis.ts';
import { workerHistoryOf } from '../workers/public.ts';
import { type Beside, type LookAlikeContent, lookAlikeModal, mostShown } from './look-alike.view.ts';
import { connectedTasks, createEvidenceSearch } from './search.ts';

/** Tasks compared per job; then the next job follows, after other work. */
const tasksPerJob = 50;

/** Creates the evidence: newly arrived tasks are compared, and the results shown. Evidence never decides anything. */
export function createEvidenceFeature(deps: Modules) {
  const { campaigns, jobs, log, slack, tasks } = deps;
  const { search } = createEvidenceSearch(deps);

  /** Shows a task next to those with evidence in common. */
  const open = onCard(deps, 'see', async ({ ref, task, open: openModal }) => {
    const all = (await campaigns.evidence.on(ref, task)).toSorted((a, b) => b.kinds.length - a.kinds.length);
    const beside = async (alike: AlikeTask): Promise<Beside[]> => {
      const other = await tasks.get(ref, alike.task);
      if (other === undefined) return [];
      const [campaignTitle, card] = await Promise.all([
        campaigns.titleOf(ref, other.campaign),
        slack.cards.linkTo(ref, other),
      ]);
      return [{ task: other, alike, campaignTitle, card }];
    };
    const connected = await tasks.getMany(ref, await connectedTasks(deps, ref, task.id));
    const content: LookAlikeContent = {
      account: ref.account,
      task,
      campaignTitle: await campaigns.titleOf(ref, task.campaign),
      others: (await Promise.all(all.slice(0, mostShown).map(beside))).flat(),
      all,
      connected: connected.filter(({ id }) => id !== task.id),
      worker: await workerHistoryOf(deps, ref, task.worker.id, task.campaign),
    };
    await withoutRefusedPictures((isRefused) => withoutFiles(lookAlikeModal(content), isRefused), openModal);
  });

  /** Queues the search if any task is waiting. */
  async function queueSearch(ref: AccountRef): Promise<void> {
    if (!(await campaigns.evidence.pending.isAny(ref))) return;
    await jobs.add('search-evidence', ref, { uniqueKey: ref.account });
  }

  /** Compares a waiting task. One that cannot be compared does not block the others. */
  async function compareWaiting(ref: AccountRef, id: TaskId): Promise<void> {
    const task = await tasks.get(ref, id);
    if (task === undefined) return campaigns.evidence.pending.forget(ref, id);
    try {
      await inBackground(() => search(ref, task));
    } catch (error) {
      if (isRedisUnavailable(error)) throw error;
      log.error({ task: id, reason: messageOf(error) }, 'task cannot be compared with others, and is not');
      await campaigns.evidence.pending.forget(ref, id);
    }
  }

  const feature: Feature = { clicks: { 'evidence.open': open } };

  return {
    feature,
    jobs: {
      async 'search-evidence'(ref: Payload<'search-evidence'>): Promise<void> {
        for (const id of await campaigns.evidence.pending.some(ref, tasksPerJob))
          await compareWaiting(ref, id);
        await queueSearch(ref);
      },
    },

    afterImport: queueSearch,
    /** Queues a lost search again. */
    afterPoll: queueSearch,
  };
}
