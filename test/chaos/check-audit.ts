import type { AuditEntry } from '../../src/domain/audit.ts';
import { groupBy } from '../../src/domain/group.ts';
import { money, wireMoney } from '../../src/domain/money.ts';
import { roundAt } from './check-decisions.ts';
import type { Evidence, MarketplaceTask } from './evidence.ts';

/** A rating as both sides tell it, to the last cent. */
function ratingText(round: number, verdict: string, comment: string, bonus: string | undefined): string {
  return `round ${round}: ${verdict} ${comment} bonus ${bonus ? wireMoney(money(bonus)) : 'none'}`;
}

/**
 * Returns where the audit, as it is now, and the marketplace's own record of ratings are not equal, entry by entry. A rating
 * that is missing was lost together with Redis if a recovery later says in the audit that data were lost: nothing else
 * excuses it.
 */
export function auditUnequal({
  auditNow,
  marketplace,
}: Pick<Evidence, 'auditNow' | 'marketplace'>): string[] {
  const recoveredAt = Math.max(0, ...auditNow.map(({ what, at }) => (what === 'recover data' ? at : 0)));
  const applied = groupBy(
    auditNow.filter(({ what }) => what === 'applied'),
    ({ task }) => String(task),
  );
  const known = new Set(marketplace.tasks.map(({ task_id }) => task_id));
  return [
    ...marketplace.tasks.flatMap((task) => unequal(task, applied.get(task.task_id) ?? [], recoveredAt)),
    ...[...applied.keys()].filter((id) => !known.has(id)).map((id) => `${id} is only in the audit`),
  ];
}

function unequal(task: MarketplaceTask, entries: readonly AuditEntry[], recoveredAt: number): string[] {
  const { task_id: id, history } = task;
  const ours = entries.map(({ round = 0, verdict = '', comment = '', money: bonus }) =>
    ratingText(round, verdict, comment, bonus),
  );
  const found: string[] = [];
  for (const { by, at, task_rating, comment, bonus } of history) {
    if (by !== 'api') continue;
    const theirs = ratingText(roundAt(task, at), task_rating, comment, bonus);
    const index = ours.indexOf(theirs);
    if (index >= 0) ours.splice(index, 1);
    else if (Date.parse(at) >= recoveredAt) found.push(`${id} ${theirs} is not in the audit`);
  }
  return [...found, ...ours.map((left) => `${id} ${left} is once more in the audit than at the marketplace`)];
}
