import { campaignTitleOf, titleKey } from '../../domain/campaign.ts';
import { queryOf } from '../../domain/find/terms.ts';
import { isOpen, type Task } from '../../domain/task.ts';
import type { AccountRef, CampaignId, WorkerId } from '../../domain/terms.ts';
import { askedOfTask } from '../../kit/brief.ts';
import type { Modules } from '../../kit/modules.ts';
import type { TaskFacts } from '../../ui/task.view.ts';
import type { CampaignRecord, WorkerFacts, WorkerHistory } from '../../ui/worker.view.ts';

/** Returns what is shown of a task besides its record. */
export async function factsOfTask(deps: Modules, ref: AccountRef, task: Task) {
  const { campaigns, tasks } = deps;
  // Cards of decided tasks fold: what all campaigns know of the worker is not read for them.
  const isJudged = isOpen(task) && task.worker.id !== '';
  const [campaign, asked, deadlines, notes, alike, worker, record] = await Promise.all([
    campaigns.get(ref, task.campaign),
    askedOfTask(deps, ref, task),
    tasks.deadlines.dueAt(ref, [task]),
    tasks.notes.on(ref, task),
    campaigns.evidence.on(ref, task),
    isJudged ? factsOf(deps, ref, task.worker.id) : undefined,
    isJudged ? campaigns.workers.record(ref, task.worker.id, task.campaign) : undefined,
  ]);
  return {
    campaignTitle: campaignTitleOf(task.campaign, campaign?.title),
    paymentPerTask: campaign?.paymentPerTask,
    asked,
    dueAt: deadlines.get(task.id),
    notes,
    alike,
    worker,
    record,
  } satisfies TaskFacts;
}

async function factsOf({ campaigns }: Modules, ref: AccountRef, worker: WorkerId): Promise<WorkerFacts> {
  const [counts, exclusion] = await Promise.all([
    campaigns.workers.reasonsGiven(ref, worker),
    campaigns.workers.exclusion(ref, worker),
  ]);
  const names = counts.length === 0 ? [] : await campaigns.reasons.all(ref);
  return {
    reasons: counts.map(({ reason, verdict, count }) => {
      const name = names.find(({ id }) => id === reason)?.name;
      return { verdict, count, ...(name === undefined ? {} : { name }) };
    }),
    ...(exclusion === undefined ? {} : { exclusion }),
  };
}

/** Returns the full history of a worker, for expanded views. @param here the campaign in which it is shown */
export async function workerHistoryOf(
  deps: Modules,
  ref: AccountRef,
  worker: WorkerId,
  here?: CampaignId,
): Promise<WorkerHistory> {
  const [facts, known] = await Promise.all([
    factsOf(deps, ref, worker),
    deps.campaigns.workers.byCampaign(ref, worker),
  ]);
  const titleOf = await deps.campaigns.titlesOf(ref, [...known.keys()]);
  const campaigns = [...known].map(
    ([id, { counts }]): CampaignRecord => ({
      title: titleOf(id),
      counts,
      isHere: id === here,
    }),
  );
  const rated = ({ counts }: CampaignRecord) => counts.OK + counts.NOK + counts.REVISE;
  return {
    ...facts,
    campaigns: campaigns.sort((a, b) => Number(b.isHere) - Number(a.isHere) || rated(b) - rated(a)),
  };
}

/** Maximum number of tasks with all words of a name that are looked at. */
const mostTasks = 200;

/** Returns the workers with a name, as it stands on cards; the latest task first. */
export async function workersNamed(
  { campaigns, tasks }: Modules,
  ref: AccountRef,
  name: string,
): Promise<WorkerId[]> {
  const { terms } = queryOf(name, { seesAddresses: false });
  if (terms.length === 0) return [];
  const { found } = await campaigns.findIndex.search(ref, terms, { before: undefined, most: mostTasks });
  const records = await tasks.getMany(
    ref,
    found.map(({ task }) => task),
  );
  const wanted = titleKey(name);
  const named = records.filter(({ worker }) => titleKey(worker.name ?? '') === wanted);
  return [...new Set(named.map(({ worker }) => worker.id))];
}
