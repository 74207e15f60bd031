import type { Task } from '../../domain/task.ts';
import type { AccountRef, MemberId } from '../../domain/terms.ts';
import type { Modules } from '../../kit/modules.ts';
import { listedDecisions } from '../../store/decisions.ts';
import type { DecisionOutcome, DecisionPage } from './decisions.view.ts';

/** Decisions per page. */
const perPage = 5;

/**
 * Creates the list of a member's last decisions and their outcomes; reads only a few records, however many tasks there
 * are.
 */
export function createLastDecisions({ campaigns, people, tasks }: Modules) {
  return {
    /** @param wanted the page, from 0 */
    async of(ref: AccountRef, member: MemberId, wanted: number): Promise<DecisionPage> {
      const count = Math.min(listedDecisions, await people.decisions.count(ref, member));
      const pages = Math.max(1, Math.ceil(count / perPage));
      const page = Math.min(Math.max(0, wanted), pages - 1);
      const range = { from: page * perPage, limit: perPage };
      const listed = count === 0 ? [] : await people.decisions.latest(ref, member, range);
      const found = await tasks.getMany(
        ref,
        listed.map(({ task }) => task),
      );
      const byId = new Map(found.map((task) => [task.id, task]));
      const titles = await campaigns.getMany(ref, [...new Set(found.map(({ campaign }) => campaign))]);
      const rows = listed.map(({ task: id, decision, at }) => {
        const task = byId.get(id);
        const title = task && titles.get(task.campaign)?.title.trim();
        return {
          account: ref.account,
          task: id,
          id: decision,
          at,
          campaignTitle: title || (task ? `Campaign ${task.campaign}` : `Task ${id}`),
          worker: task && (task.worker.name ?? task.worker.id),
          outcome: outcomeOf(task, decision, member),
        };
      });
      return { rows, page, pages };
    },
  };
}

/** Returns the outcome of a decision from the current record of its task. */
export function outcomeOf(task: Task | undefined, id: string, member: MemberId): DecisionOutcome {
  if (task === undefined) return { kind: 'gone' };
  const { decision, undone, undoneBy } = task;
  if (decision?.id === id) {
    const canUndo = decision.state === 'waiting' || decision.state === 'held';
    return { kind: 'decision', decision, canUndo };
  }
  if (undone?.includes(id)) {
    const isByColleague = undone.at(-1) === id && undoneBy?.of === member;
    return { kind: 'undone', by: isByColleague ? undoneBy.by : undefined };
  }
  return task.round > 1 && task.before?.by === member ? { kind: 'returned' } : { kind: 'gone' };
}
