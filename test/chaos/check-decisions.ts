import { groupBy } from '../../src/domain/group.ts';
import { roundsOf } from './check-cards.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';
import type { SeenDecision } from './reviewers.ts';

const byApi = ({ history }: MarketplaceTask) => history.filter(({ by }) => by === 'api');

/**
 * Returns decisions that somebody has read on a card and that are not accounted for, by their ids: each was applied once
 * as it was made, or the trail says of that very decision that it was undone (after somebody clicked Undo), refused (and a
 * card said so) or overtaken (and there is such a rating), or people were told that it is lost.
 */
export function decisionsLost({ log, marketplace, audit, homes, view }: Evidence): string[] {
  const tasks = new Map(marketplace.tasks.map((task) => [task.task_id, task]));
  const lines = groupBy(
    audit.filter(({ decision }) => decision !== undefined),
    ({ decision }) => decision ?? '',
  );
  const told = [...homes.map(({ text }) => text), ...[...view.notices.values()].map(({ text }) => text)];
  return [...log.accepted.values()].flatMap((seen) => {
    const task = tasks.get(seen.task);
    const ends = (lines.get(seen.id) ?? []).map(({ what }) => what).filter((what) => what !== 'decided');
    if (task !== undefined && isAppliedOnce(seen, task, ends)) return [];
    if (ends.includes('undone') && log.undone.has(seen.id)) return [];
    if (ends.includes('refused') && seen.state === 'refused') return [];
    if (ends.includes('overtaken') && task !== undefined && isRatedOtherwise(task, seen)) return [];
    if (told.some((text) => /lost/i.test(text) && text.includes(seen.task))) return [];
    const { id, task: name, round, verdict, by, state } = seen;
    return [
      `${name} round ${round}: ${verdict} by ${by} (${id}), last read as ${state}; trail: ${ends.join(', ')}`,
    ];
  });
}

function isAppliedOnce(
  { round, verdict, comment }: SeenDecision,
  task: MarketplaceTask,
  ends: string[],
): boolean {
  const applied = eventsOf(task, round).filter(
    (event) => event.by === 'api' && event.task_rating === verdict && event.comment === comment,
  );
  return applied.length === 1 && ends.every((what) => what === 'applied' || what === 'came back');
}

function isRatedOtherwise(task: MarketplaceTask, { round }: SeenDecision): boolean {
  return eventsOf(task, round).length > 0 || roundsOf(task) > round;
}

/** Returns the ratings of one round of a task. */
function eventsOf({ history }: MarketplaceTask, round: number) {
  let rounds = 0;
  return history.filter(({ by }) => {
    if (by === 'worker') rounds += 1;
    return by !== 'worker' && by !== 'marketplace' && rounds === round;
  });
}

/** Returns where the audit trail differs from the marketplace's record, or a decision in it does not end exactly once. */
export function auditWrong({ audit, marketplace }: Evidence): string[] {
  const found: string[] = [];
  const lines = groupBy(audit, ({ task }) => String(task));
  for (const task of marketplace.tasks) {
    const id = task.task_id;
    const own = lines.get(id) ?? [];
    const ours = own
      .filter(({ what }) => what === 'applied')
      .map(({ verdict = '', comment }) => `${verdict} ${comment}`);
    const theirs = byApi(task).map(({ task_rating: rating, comment }) => `${rating} ${comment}`);
    if (ours.join('\n') !== theirs.join('\n')) {
      found.push(`${id}: the marketplace has ${theirs.join(', ')}; the trail ${ours.join(', ')}`);
    }
    const elsewhere = own.filter(({ what }) => what === 'overtaken' || what === 'rated elsewhere').length;
    const website = task.history.filter(({ by }) => by === 'website').length;
    if (elsewhere !== website) found.push(`${id}: ${website} ratings elsewhere, the trail has ${elsewhere}`);
    let open = 0;
    for (const { what } of own) {
      if (what === 'decided') open += 1;
      if (['applied', 'refused', 'overtaken', 'undone'].includes(what)) open -= 1;
      if (open < 0 || open > 1) found.push(`${id}: ${what} at the wrong time`);
    }
    if (open !== 0) found.push(`${id}: a decision in the trail has no end`);
  }
  return found;
}
